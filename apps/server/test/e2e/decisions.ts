// Deciding markets past the service, straight on the chain: proposals, settlements, redemptions, and shares moved by hand.
import { conditionalTokensWithPermitAbi, marketAbi, presageSettlementAbi, testStablecoinAbi } from '@presage/contracts';
import { MARKET_DOMAIN_NAME, OPERATION_TYPES, type ResolutionBody } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import type Type from 'typebox';
import { type Abi, encodeFunctionData, encodePacked, type Hex, keccak256, parseSignature, zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

export type ResolutionAnswer = Type.Static<typeof ResolutionBody>;

type Market = Pick<MarketBody, 'id' | 'contractAddress' | 'yesTokenId' | 'noTokenId'>;
type Wallet = { readonly address: Hex };

const FOR_EVER = 0xffff_ffffn;
const BINARY = [1n, 2n];

export class Decisions {
  readonly #exchange: Exchange;
  readonly #chain: Readonly<Record<'stablecoin' | 'conditionalTokens' | 'settlement', Hex>> & { readonly bond: bigint };

  private constructor(exchange: Exchange, chain: ConfigChain) {
    this.#exchange = exchange;
    this.#chain = {
      stablecoin: chain.stablecoin.address,
      conditionalTokens: chain.conditionalTokens.address,
      settlement: chain.settlement.address,
      bond: BigInt(chain.bondAmount),
    };
  }

  static async open(exchange: Exchange): Promise<Decisions> {
    const { chains } = await exchange.client.read<{ chains: ConfigChain[] }>('/api/v1/config');
    return new Decisions(exchange, chains[0]!);
  }

  get bond(): bigint {
    return this.#chain.bond;
  }

  read(market: Market): Promise<ResolutionAnswer> {
    return this.#exchange.client.read(`/api/v1/resolution/${market.id}`);
  }

  /** The service has come to see the market so. */
  becomes(market: Market, status: string): Promise<ResolutionAnswer> {
    return waitFor(`the market is ${status}`, async () => {
      const resolution = await this.read(market);
      return resolution.status === status && resolution;
    });
  }

  async travel(advanceSeconds: number): Promise<void> {
    const { status } = await this.#exchange.client.post('/sandbox/time', { advanceSeconds });
    if (status !== 200) throw new Error(`no journey: ${status}`);
  }

  /** Funds and approves the bond, and proposes in the wallet's own name. */
  async propose(market: Market, proposer: PrivateKeyAccount, outcome: boolean): Promise<void> {
    const to = market.contractAddress as Hex;
    await this.#exchange.client.post('/sandbox/fund', { address: proposer.address, amount: Number(this.bond) });
    await this.#call(proposer, this.#chain.stablecoin, testStablecoinAbi, 'approve', [to, this.bond]);
    const nonce = await this.#exchange.chain.read(to, marketAbi, 'nonces', [proposer.address]);
    const { round } = (await this.#exchange.chain.read(to, marketAbi, 'resolution', [])) as { round: number };
    const said = { outcome: outcome ? 0 : 1, bond: this.bond, round: round + 1, nonce: nonce as bigint };
    const { v, r, s } = await this.#signProposal(market, proposer, said);
    const payment = { payer: proposer.address, permitDeadline: 0n, v: 0, r: zeroHash, s: zeroHash };
    const args = [proposer.address, said.outcome, FOR_EVER, v, r, s, payment];
    await this.#call(proposer, to, marketAbi, 'proposeResolutionBySig', args);
  }

  async #signProposal(
    market: Market,
    proposer: PrivateKeyAccount,
    said: { outcome: number; bond: bigint; round: number; nonce: bigint },
  ) {
    const verifyingContract = market.contractAddress as Hex;
    const { chainId } = this.#exchange.client.domain;
    const signature = await proposer.signTypedData({
      domain: { name: MARKET_DOMAIN_NAME, version: '1', chainId, verifyingContract },
      types: { ProposeResolution: OPERATION_TYPES.ProposeResolution },
      primaryType: 'ProposeResolution',
      message: {
        market: verifyingContract,
        proposer: proposer.address,
        payer: proposer.address,
        ...said,
        deadline: FOR_EVER,
      },
    });
    const { r, s, yParity } = parseSignature(signature);
    return { v: 27 + yParity, r, s };
  }

  settle(market: Market, by: Wallet): Promise<Hex> {
    return this.#call(by, market.contractAddress as Hex, marketAbi, 'settle', []);
  }

  /** The market's contract reports what its own rules never would: half each. */
  async makeVoid(market: Market): Promise<void> {
    const from = { address: market.contractAddress as Hex };
    const questionId = await this.#exchange.chain.read(from.address, marketAbi, 'questionId', []);
    await this.#tokens(from, 'reportPayouts', [questionId, [1n, 1n]]);
  }

  redeem(market: Market, by: Wallet): Promise<Hex> {
    return this.#tokens(by, 'redeemPositions', [this.#chain.stablecoin, zeroHash, market.id, BINARY]);
  }

  async split(market: Pick<Market, 'id'>, by: Wallet, amount: bigint): Promise<void> {
    const { stablecoin, conditionalTokens } = this.#chain;
    await this.#exchange.client.post('/sandbox/fund', { address: by.address, amount: Number(amount) });
    await this.#call(by, stablecoin, testStablecoinAbi, 'approve', [conditionalTokens, amount]);
    await this.#tokens(by, 'splitPosition', [stablecoin, zeroHash, market.id, BINARY, amount]);
  }

  /** Shares of a condition that anybody may prepare and no market is made of. */
  async splitUnlisted(by: Wallet): Promise<void> {
    const condition = [by.address, zeroHash, BigInt(BINARY.length)] as const;
    await this.#tokens(by, 'prepareCondition', condition);
    const id = keccak256(encodePacked(['address', 'bytes32', 'uint256'], condition));
    await this.split({ id }, by, 1_000_000n);
  }

  /** Stops all orders of a trader on chain, or lets them resume. */
  halt(by: Wallet, isHalted: boolean): Promise<Hex> {
    const functionName = isHalted ? 'haltTrading' : 'resumeTrading';
    return this.#call(by, this.#chain.settlement, presageSettlementAbi, functionName, []);
  }

  merge(market: Market, by: Wallet, amount: bigint): Promise<Hex> {
    return this.#tokens(by, 'mergePositions', [this.#chain.stablecoin, zeroHash, market.id, BINARY, amount]);
  }

  give(market: Market, from: Wallet, to: Wallet, amount: bigint): Promise<Hex> {
    const args = [from.address, to.address, BigInt(market.yesTokenId), amount, '0x'];
    return this.#tokens(from, 'safeTransferFrom', args);
  }

  #tokens(from: Wallet, functionName: string, args: readonly unknown[]): Promise<Hex> {
    return this.#call(from, this.#chain.conditionalTokens, conditionalTokensWithPermitAbi, functionName, args);
  }

  #call({ address: from }: Wallet, to: Hex, abi: Abi, functionName: string, args: readonly unknown[]): Promise<Hex> {
    return this.#exchange.chain.sendAs({ from, to, data: encodeFunctionData({ abi, functionName, args }) });
  }
}

interface ConfigChain {
  readonly stablecoin: { readonly address: Hex };
  readonly conditionalTokens: { readonly address: Hex };
  readonly settlement: { readonly address: Hex };
  readonly bondAmount: string;
}
