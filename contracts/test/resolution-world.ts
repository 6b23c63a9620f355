// A fixture with an expired market, accounts that propose, pay, dispute and settle, and an oracle that is ours or UMA's.
import {
  type Address,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
  parseSignature,
  type TransactionReceipt,
  zeroAddress,
  zeroHash,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { conditionalTokensWithPermitAbi, marketAbi, optimisticOracleAbi, testStablecoinAbi } from '../generated/abi.ts';
import { type Artifact, compileFolder, settings } from '../scripts/compile.ts';
import { testAccount } from './in-process-chain.ts';
import { operationTypes } from './typed-data.ts';
import { UmaOracle } from './uma-oracle.ts';
import { farFuture, World } from './world.ts';

export type OracleKind = 'ours' | 'uma';
type Operation = 'Permit' | 'ProposeResolution' | 'SettleMarket';

const lifetime = 86_400n;
const noPermit = { permitDeadline: 0n, v: 0, r: `0x${'00'.repeat(32)}`, s: `0x${'00'.repeat(32)}` } as const;

let hostile: Artifact | undefined;

function hostileStablecoin(): Artifact {
  hostile ??= compileFolder('test/solidity', settings.tests).find(({ name }) => name === 'HostileStablecoin');
  if (hostile === undefined) throw new Error('test/solidity has no HostileStablecoin');
  return hostile;
}

export class ResolutionWorld {
  readonly world: World;
  readonly proposer: PrivateKeyAccount = privateKeyToAccount(`0x${'71'.repeat(32)}`);
  readonly settler: PrivateKeyAccount = privateKeyToAccount(`0x${'72'.repeat(32)}`);
  readonly sponsor = testAccount(2);
  readonly arbitrator = testAccount(4);
  readonly disputer = testAccount(5);
  readonly #uma: UmaOracle | undefined;
  #event: { readonly eventId: Hex; readonly markets: readonly Address[] } | undefined;

  private constructor(world: World, uma: UmaOracle | undefined) {
    this.world = world;
    this.#uma = uma;
  }

  static async open(kind: OracleKind): Promise<ResolutionWorld> {
    let uma: UmaOracle | undefined;
    const deployUma = async (...place: Parameters<typeof UmaOracle.deploy>): Promise<Address> => {
      uma = await UmaOracle.deploy(...place);
      return uma.address;
    };
    const world = await World.open(kind === 'uma' ? { deployOracle: deployUma } : {});
    return new ResolutionWorld(world, uma);
  }

  /** A market that has just expired; every account can afford a bond, and the disputer has approved the oracle. */
  async openExpiredMarket(): Promise<void> {
    const { world } = this;
    await world.createMarket((await world.chain.now()) + lifetime);
    await world.chain.advance(lifetime);
    await this.#fundBonds();
  }

  async #fundBonds(): Promise<void> {
    const { world, disputer } = this;
    const bond = await this.bond();
    for (const { address } of [this.proposer, this.sponsor, disputer]) {
      await world.as(world.owner, world.collateral, testStablecoinAbi, 'mint', [address, bond]);
    }
    await world.as(disputer, world.collateral, testStablecoinAbi, 'approve', [world.oracle, bond]);
  }

  /** An event that has just expired, in place of the market: what follows concerns the market of its first outcome until another is used. */
  async openExpiredEvent(names: readonly string[]): Promise<void> {
    const { world } = this;
    this.#event = await world.createEvent(names, (await world.chain.now()) + lifetime);
    world.marketId = this.#event.eventId;
    this.useOutcome(0);
    await world.chain.advance(lifetime);
    await this.#fundBonds();
  }

  useOutcome(index: number): void {
    const market = this.#event?.markets[index];
    if (market === undefined) throw new Error(`no event has outcome ${index}`);
    this.world.market = market;
  }

  bond(): Promise<bigint> {
    return this.#market('bond') as Promise<bigint>;
  }

  /** The oracle's share of a lost bond. */
  feeOf(bond: bigint): bigint {
    return this.#uma === undefined ? 0n : bond / 2n;
  }

  status(): Promise<number> {
    return this.#market('status') as Promise<number>;
  }

  async round(): Promise<number> {
    return ((await this.#market('resolution')) as { round: number }).round;
  }

  /** Every unit of the stablecoin by holder. */
  async balances(): Promise<Record<'proposer' | 'sponsor' | 'disputer' | 'oracle' | 'market' | 'store', bigint>> {
    const { proposer, sponsor, disputer, world } = this;
    return {
      proposer: await this.balanceOf(proposer.address),
      sponsor: await this.balanceOf(sponsor.address),
      disputer: await this.balanceOf(disputer.address),
      oracle: await this.balanceOf(world.oracle),
      market: await this.balanceOf(world.market),
      store: this.#uma === undefined ? 0n : await this.balanceOf(this.#uma.store),
    };
  }

  /** Signed by the proposer, sent by the sponsor, the bond pulled with the payer's permit. */
  async propose(outcome: boolean, payer: 'proposer' | 'sponsor'): Promise<Hex> {
    const bondPayer = this[payer];
    const permit = await this.#sign(bondPayer, 'Permit', {
      owner: bondPayer.address,
      spender: this.world.market,
      value: await this.bond(),
    });
    const payment = { payer: bondPayer.address, ...permit, permitDeadline: farFuture };
    return await this.#sendProposal(this.proposer, outcome ? 0 : 1, payment);
  }

  async proposeWithoutPermit(outcome: boolean): Promise<Hex> {
    return await this.#sendProposal(this.proposer, outcome ? 0 : 1, { payer: this.sponsor.address, ...noPermit });
  }

  async dispute(assertionId: Hex): Promise<void> {
    const args = [assertionId, this.disputer.address];
    await this.world.as(this.disputer, this.world.oracle, optimisticOracleAbi, 'disputeAssertion', args);
  }

  /** Ours settles immediately; with UMA's, the vote is set and then the assertion is settled. */
  async judge(assertionId: Hex, truthful: boolean): Promise<void> {
    if (this.#uma === undefined) {
      await this.world.as(this.arbitrator, this.world.oracle, optimisticOracleAbi, 'arbitrate', [
        assertionId,
        truthful,
      ]);
      return;
    }
    await this.#uma.decide(assertionId, truthful);
    await this.settle();
  }

  /** Proposes with a bond that the account is given for it, and sends the transaction itself. */
  async proposeAs(account: PrivateKeyAccount, outcome: number): Promise<Hex> {
    await this.fund(account.address, await this.bond());
    return await this.proposeWithOwn(account, outcome);
  }

  /** Proposes with a bond that the account has. */
  async proposeWithOwn(account: PrivateKeyAccount, outcome: number): Promise<Hex> {
    const { collateral, market } = this.world;
    await this.world.as(account, collateral, testStablecoinAbi, 'approve', [market, await this.bond()]);
    return await this.#sendProposal(account, outcome, { payer: account.address, ...noPermit });
  }

  /** Disputes with a bond that the account is given for it, in the name of any address. */
  async disputeAs(account: PrivateKeyAccount, assertionId: Hex, disputer: Address = account.address): Promise<void> {
    const { collateral, oracle } = this.world;
    const bond = await this.bond();
    await this.fund(account.address, bond);
    await this.world.as(account, collateral, testStablecoinAbi, 'approve', [oracle, bond]);
    await this.world.as(account, oracle, optimisticOracleAbi, 'disputeAssertion', [assertionId, disputer]);
  }

  /** With UMA's, the vote is over and nobody has settled; ours settles at once. */
  async decide(assertionId: Hex, truthful: boolean): Promise<void> {
    if (this.#uma === undefined) await this.judge(assertionId, truthful);
    else await this.#uma.decide(assertionId, truthful);
  }

  /** The second arbitrator of our oracle; UMA has voters only. */
  async decideAsSecond(assertionId: Hex, truthful: boolean): Promise<void> {
    if (this.#uma !== undefined) return await this.decide(assertionId, truthful);
    const { owner, oracle } = this.world;
    await this.world.as(owner, oracle, optimisticOracleAbi, 'arbitrate', [assertionId, truthful]);
  }

  /** UMA takes bonds in the stablecoin no more, and its oracle has noticed. */
  async delistCollateral(): Promise<void> {
    if (this.#uma === undefined) throw new Error('our oracle takes one token for ever');
    await this.#uma.delist(this.world.collateral);
  }

  /** Has our oracle pay what the token refused; UMA's owes nothing. */
  async payOwed(account: Address): Promise<void> {
    if (this.#uma === undefined)
      await this.world.as(this.sponsor, this.world.oracle, optimisticOracleAbi, 'payOwed', [account]);
  }

  async settleAtOracle(assertionId: Hex): Promise<void> {
    await this.world.as(this.sponsor, this.world.oracle, optimisticOracleAbi, 'settleAssertion', [assertionId]);
  }

  async void(): Promise<void> {
    await this.world.as(this.sponsor, this.world.market, marketAbi, 'void', []);
  }

  async fund(account: Address, amount: bigint): Promise<void> {
    await this.world.as(this.world.owner, this.world.collateral, testStablecoinAbi, 'mint', [account, amount]);
  }

  /** Makes the stablecoin refuse every transfer from and to an address, as USDC does with its own and with blocked ones. */
  async refuse(account: Address, isRefused = true): Promise<void> {
    const { chain, collateral } = this.world;
    await chain.setCode(collateral, hostileStablecoin().deployedBytecode);
    await this.world.as(this.world.owner, collateral, hostileStablecoin().abi, 'setBlocked', [account, isRefused]);
  }

  /** Gives one account YES and the other NO. */
  async giveShares(yes: Address, no: Address, amount: bigint): Promise<void> {
    const { owner, collateral, shares, marketId } = this.world;
    await this.fund(owner.address, amount);
    await this.world.as(owner, collateral, testStablecoinAbi, 'approve', [shares, amount]);
    const args = [collateral, marketId, amount, yes, no];
    await this.world.as(owner, shares, conditionalTokensWithPermitAbi, 'splitTo', args);
  }

  /** What the account is paid for its shares of both outcomes. */
  async redeem(account: PrivateKeyAccount): Promise<bigint> {
    const { collateral, shares, marketId } = this.world;
    const before = await this.balanceOf(account.address);
    const args = [collateral, zeroHash, marketId, [1n, 2n]];
    await this.world.as(account, shares, conditionalTokensWithPermitAbi, 'redeemPositions', args);
    return (await this.balanceOf(account.address)) - before;
  }

  async settle(): Promise<TransactionReceipt> {
    return await this.world.as(this.sponsor, this.world.market, marketAbi, 'settle', []);
  }

  async settleBySig(winningOutcome: number): Promise<void> {
    const { address } = this.settler;
    const message = { market: this.world.market, settler: address, winningOutcome };
    const { v, r, s } = await this.#sign(this.settler, 'SettleMarket', message);
    const args = [address, winningOutcome, farFuture, v, r, s];
    await this.world.as(this.sponsor, this.world.market, marketAbi, 'settleBySig', args);
  }

  /** What each of the condition's outcomes pays, before it is divided by their sum. */
  numerators(count: number): Promise<bigint[]> {
    const { shares, marketId, chain } = this.world;
    const read = (index: number): Promise<bigint> =>
      chain.client.readContract({
        address: shares,
        abi: conditionalTokensWithPermitAbi,
        functionName: 'payoutNumerators',
        args: [marketId, BigInt(index)],
      });
    return Promise.all(Array.from({ length: count }, (_, index) => read(index)));
  }

  async payouts(): Promise<readonly [bigint, bigint, bigint]> {
    const { shares, marketId } = this.world;
    const read = (functionName: string, args: readonly unknown[]): Promise<bigint> =>
      this.world.chain.client.readContract({
        address: shares,
        abi: conditionalTokensWithPermitAbi as never,
        functionName,
        args,
      }) as Promise<bigint>;
    return [
      await read('payoutNumerators', [marketId, 0n]),
      await read('payoutNumerators', [marketId, 1n]),
      await read('payoutDenominator', [marketId]),
    ];
  }

  async #sendProposal(
    proposer: PrivateKeyAccount,
    outcome: number,
    payment: { readonly payer: Address },
  ): Promise<Hex> {
    const { address } = proposer;
    const payer = payment.payer === address ? address : zeroAddress;
    const terms = { payer, bond: await this.bond(), round: (await this.round()) + 1 };
    const message = { market: this.world.market, proposer: address, outcome, ...terms };
    const { v, r, s } = await this.#sign(proposer, 'ProposeResolution', message);
    const args = [address, outcome, farFuture, v, r, s, payment] as const;
    const data = encodeFunctionData({ abi: marketAbi, functionName: 'proposeResolutionBySig', args: args as never });
    const receipt = await this.world.chain.mustSend(this.sponsor, { to: this.world.market, data });
    const [made] = parseEventLogs({ abi: marketAbi, eventName: 'ResolutionProposed', logs: receipt.logs });
    if (made === undefined) throw new Error('no ResolutionProposed event');
    return made.args.assertionId;
  }

  async #sign(account: Pick<PrivateKeyAccount, 'address' | 'signTypedData'>, primaryType: Operation, message: object) {
    const { market, collateral, chain } = this.world;
    const isPermit = primaryType === 'Permit';
    const verifyingContract = isPermit ? collateral : market;
    const nonce = await chain.client.readContract({
      address: verifyingContract,
      abi: marketAbi,
      functionName: 'nonces',
      args: [account.address],
    });
    const [name, version] = isPermit ? ['USD Coin', '2'] : ['PresageMarket', '1'];
    const signature = await account.signTypedData({
      domain: { name, version, chainId: 31337, verifyingContract },
      types: operationTypes,
      primaryType,
      message: { ...message, nonce, deadline: farFuture } as never,
    });
    const { r, s, yParity } = parseSignature(signature);
    return { v: 27 + yParity, r, s };
  }

  #market(functionName: 'bond' | 'status' | 'resolution'): Promise<unknown> {
    return this.world.chain.client.readContract({ address: this.world.market, abi: marketAbi, functionName });
  }

  balanceOf(owner: Address): Promise<bigint> {
    const coin = { address: this.world.collateral, abi: testStablecoinAbi } as const;
    return this.world.chain.client.readContract({ ...coin, functionName: 'balanceOf', args: [owner] });
  }
}
