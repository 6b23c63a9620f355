// A fixture with an expired market, accounts that propose, pay, dispute and settle, and an oracle that is ours or UMA's.
import {
  type Address,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
  parseSignature,
  type TransactionReceipt,
  zeroAddress,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { conditionalTokensWithPermitAbi, marketAbi, optimisticOracleAbi, testStablecoinAbi } from '../generated/abi.ts';
import { testAccount } from './in-process-chain.ts';
import { operationTypes } from './typed-data.ts';
import { UmaOracle } from './uma-oracle.ts';
import { farFuture, World } from './world.ts';

export type OracleKind = 'ours' | 'uma';
type Operation = 'Permit' | 'ProposeResolution' | 'SettleMarket';

const lifetime = 86_400n;
const noPermit = { permitDeadline: 0n, v: 0, r: `0x${'00'.repeat(32)}`, s: `0x${'00'.repeat(32)}` } as const;

export class ResolutionWorld {
  readonly world: World;
  readonly proposer: PrivateKeyAccount = privateKeyToAccount(`0x${'71'.repeat(32)}`);
  readonly settler: PrivateKeyAccount = privateKeyToAccount(`0x${'72'.repeat(32)}`);
  readonly sponsor = testAccount(2);
  readonly arbitrator = testAccount(4);
  readonly disputer = testAccount(5);
  readonly #uma: UmaOracle | undefined;

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
    const { world, disputer } = this;
    await world.createMarket((await world.chain.now()) + lifetime);
    await world.chain.advance(lifetime);
    const bond = await this.bond();
    for (const { address } of [this.proposer, this.sponsor, disputer]) {
      await world.as(world.owner, world.collateral, testStablecoinAbi, 'mint', [address, bond]);
    }
    await world.as(disputer, world.collateral, testStablecoinAbi, 'approve', [world.oracle, bond]);
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
      proposer: await this.#balanceOf(proposer.address),
      sponsor: await this.#balanceOf(sponsor.address),
      disputer: await this.#balanceOf(disputer.address),
      oracle: await this.#balanceOf(world.oracle),
      market: await this.#balanceOf(world.market),
      store: this.#uma === undefined ? 0n : await this.#balanceOf(this.#uma.store),
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
    return await this.#sendProposal(outcome, payment);
  }

  async proposeWithoutPermit(outcome: boolean): Promise<Hex> {
    return await this.#sendProposal(outcome, { payer: this.sponsor.address, ...noPermit });
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

  async #sendProposal(isYes: boolean, payment: { readonly payer: Address }): Promise<Hex> {
    const { address } = this.proposer;
    const outcome = isYes ? 0 : 1;
    const payer = payment.payer === address ? address : zeroAddress;
    const terms = { payer, bond: await this.bond(), round: (await this.round()) + 1 };
    const message = { market: this.world.market, proposer: address, outcome, ...terms };
    const { v, r, s } = await this.#sign(this.proposer, 'ProposeResolution', message);
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

  #balanceOf(owner: Address): Promise<bigint> {
    const coin = { address: this.world.collateral, abi: testStablecoinAbi } as const;
    return this.world.chain.client.readContract({ ...coin, functionName: 'balanceOf', args: [owner] });
  }
}
