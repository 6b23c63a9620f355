// A wallet that never sends a transaction: it signs, and the relayer endpoints do the rest.
import { fullIndexSet, MARKET_DOMAIN_NAME, OPERATION_TYPES, readOutcomeMarketId } from '@presage/protocol';
import type { Answer } from '@presage/testkit';
import { type Hex, parseSignature, zeroAddress, zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

interface Domain {
  readonly name: string;
  readonly version: string;
  readonly address: Hex;
}

export interface RelayChain {
  readonly chainId: number;
  readonly settlement: Domain;
  readonly conditionalTokens: Domain;
  readonly stablecoin: Domain;
  readonly bondAmount: string;
}

export interface RelayReply {
  readonly success: boolean;
  readonly tx_hash?: Hex;
  readonly txHash?: Hex;
  readonly status?: string;
  readonly error?: string;
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string;
}

interface SignatureFields {
  readonly deadline: string;
  readonly v: number;
  readonly r: Hex;
  readonly s: Hex;
}

interface SigningParams {
  /** The chain's, with what is in flight, when absent. */
  readonly nonce?: bigint;
  /** Unix seconds; an hour ahead when absent. */
  readonly deadline?: number;
  /** The outcome of a redemption; both outcomes when absent. */
  readonly indexSets?: readonly bigint[];
}

type Message = Readonly<Record<string, unknown>>;

export const UNLIMITED = (1n << 256n) - 1n;

export class RelayedWallet {
  readonly account: PrivateKeyAccount;
  readonly chain: RelayChain;
  readonly #exchange: Exchange;

  private constructor(exchange: Exchange, account: PrivateKeyAccount, chain: RelayChain) {
    this.#exchange = exchange;
    this.account = account;
    this.chain = chain;
  }

  static async open(exchange: Exchange, account: PrivateKeyAccount): Promise<RelayedWallet> {
    const { chains } = await exchange.client.read<{ chains: [RelayChain] }>('/api/v1/config');
    return new RelayedWallet(exchange, account, chains[0]);
  }

  get address(): Hex {
    return this.account.address;
  }

  /** The same wallet at another address: after a restart. */
  at(exchange: Exchange): RelayedWallet {
    return new RelayedWallet(exchange, this.account, this.chain);
  }

  post(operation: string, body: object): Promise<Answer<RelayReply>> {
    return this.#exchange.client.post(`/api/v1/relayer/${operation}`, body);
  }

  /** A request that must be relayed; answers the hash. */
  async relayed(operation: string, body: object): Promise<Hex> {
    const { status, body: reply } = await this.post(operation, body);
    const hash = reply.tx_hash ?? reply.txHash;
    if (status !== 200 || !reply.success || !hash) throw new Error(`${operation}: ${status} ${JSON.stringify(reply)}`);
    return hash;
  }

  async nonceAt(contract: Hex): Promise<bigint> {
    const path = `/api/v1/contracts/nonce/${contract}/${this.address}?chain_id=${this.chain.chainId}`;
    return BigInt((await this.#exchange.client.read<{ nonce: number }>(path)).nonce);
  }

  async permit(spender: Hex, value: bigint, params: SigningParams = {}): Promise<object> {
    const { stablecoin } = this.chain;
    const signed = await this.#sign(stablecoin, 'Permit', { owner: this.address, spender, value }, params);
    return { ...this.#owned, spender, value: value.toString(), ...signed };
  }

  async approval(approved = true, params: SigningParams = {}): Promise<object> {
    const operator = this.chain.settlement.address;
    const message = { owner: this.address, operator, approved };
    const signed = await this.#sign(this.chain.conditionalTokens, 'SetApprovalForAll', message, params);
    return { ...this.#owned, operator, approved, ...signed };
  }

  async redemption(market: MarketBody, params: SigningParams = {}): Promise<object> {
    return { ...this.#owned, ...(await this.#redemptionFields(market, params)) };
  }

  /** One after another from the next nonce on. */
  async batch(markets: readonly MarketBody[], params: SigningParams = {}): Promise<object> {
    const first = params.nonce ?? (await this.nonceAt(this.chain.conditionalTokens.address));
    const redemptions = await Promise.all(
      markets.map((market, index) => this.#redemptionFields(market, { ...params, nonce: first + BigInt(index) })),
    );
    return { ...this.#owned, redemptions };
  }

  async amount(type: 'SplitPosition' | 'MergePositions', market: MarketBody, amount: bigint): Promise<object> {
    const fields = { collateralToken: this.chain.stablecoin.address, conditionId: market.id, amount };
    const message = { owner: this.address, ...fields };
    const signed = await this.#sign(this.chain.conditionalTokens, type, message, {});
    return { ...this.#owned, ...fields, amount: amount.toString(), ...signed };
  }

  async conversion(eventId: Hex, indexes: readonly number[], amount: bigint): Promise<object> {
    const set = indexes.reduce((bits, index) => bits | (1n << BigInt(index)), 0n);
    const message = { owner: this.address, eventId, indexes: set, amount };
    const signed = await this.#sign(this.chain.conditionalTokens, 'ConvertPositions', message, {});
    return { ...this.#owned, eventId, indexes, amount: amount.toString(), ...signed };
  }

  /** With the bond drawn from this wallet, or sponsored by the operator. */
  async proposal(market: MarketBody, outcome: boolean | 2, bond?: bigint): Promise<object> {
    const marketAddress = market.contractAddress as Hex;
    const { round } = await this.#exchange.client.read<{ round: number }>(`/api/v1/resolution/${market.id}`);
    const message = {
      market: marketAddress,
      proposer: this.address,
      outcome: outcome === 2 ? 2 : Number(!outcome),
      payer: bond === undefined ? zeroAddress : this.address,
      bond: BigInt(this.chain.bondAmount),
      round: round + 1,
    };
    const signed = await this.#sign(marketDomain(marketAddress), 'ProposeResolution', message, {});
    const body = { chainId: this.chain.chainId, marketAddress, proposer: this.address, outcome, ...signed };
    if (bond === undefined) return body;
    const drawn = { owner: this.address, spender: marketAddress, value: bond };
    const { deadline, v, r, s } = await this.#sign(this.chain.stablecoin, 'Permit', drawn, {});
    return { ...body, bondPermitDeadline: deadline, bondV: v, bondR: r, bondS: s };
  }

  async settling(market: MarketBody, winningOutcome: 0 | 1 | 2): Promise<object> {
    const marketAddress = market.contractAddress as Hex;
    const message = { market: marketAddress, settler: this.address, winningOutcome };
    const signed = await this.#sign(marketDomain(marketAddress), 'SettleMarket', message, {});
    return { chainId: this.chain.chainId, marketAddress, settler: this.address, winningOutcome, ...signed };
  }

  async halting(type: 'HaltTrading' | 'ResumeTrading'): Promise<object> {
    return { ...this.#owned, ...(await this.#sign(this.chain.settlement, type, { trader: this.address }, {})) };
  }

  async deposit(amount: bigint): Promise<object> {
    const signed = await this.#sign(this.chain.settlement, 'Deposit', { trader: this.address, amount }, {});
    return { ...this.#owned, amount: amount.toString(), ...signed };
  }

  async withdrawal(amount: bigint, to: Hex = this.address): Promise<object> {
    const message = { trader: this.address, amount, to };
    const signed = await this.#sign(this.chain.settlement, 'WithdrawDeposit', message, {});
    return { ...this.#owned, amount: amount.toString(), to, ...signed };
  }

  get #owned() {
    return { chainId: this.chain.chainId, owner: this.address };
  }

  async #redemptionFields(market: MarketBody, params: SigningParams): Promise<object> {
    const fields = {
      collateralToken: this.chain.stablecoin.address,
      parentCollectionId: zeroHash,
      conditionId: market.event?.id ?? market.id,
    };
    const indexSets = params.indexSets ?? indexSetsOf(market);
    const message = { owner: this.address, ...fields, indexSets };
    const signed = await this.#sign(this.chain.conditionalTokens, 'RedeemPositions', message, params);
    return { ...fields, indexSets: indexSets.map(String), marketAddress: market.contractAddress, ...signed };
  }

  async #sign(
    { name, version, address }: Domain,
    primaryType: keyof typeof OPERATION_TYPES,
    message: Message,
    params: SigningParams,
  ): Promise<SignatureFields> {
    const { now } = await this.#exchange.client.read<{ now: number }>('/api/v1/time');
    const deadline = BigInt(params.deadline ?? now + 3_600);
    const nonce = params.nonce ?? (await this.nonceAt(address));
    const signature = await this.account.signTypedData({
      domain: { name, version, chainId: this.chain.chainId, verifyingContract: address },
      types: OPERATION_TYPES,
      primaryType,
      message: { ...message, nonce, deadline } as never,
    });
    const { r, s, yParity } = parseSignature(signature);
    return { deadline: deadline.toString(), v: 27 + yParity, r, s };
  }
}

function indexSetsOf({ id, event }: MarketBody): readonly bigint[] {
  const outcome = event && readOutcomeMarketId(id as Hex);
  if (outcome === undefined) return [1n, 2n];
  const yes = 1n << BigInt(outcome.index);
  return [yes, fullIndexSet(outcome.count) ^ yes];
}

function marketDomain(address: Hex): Domain {
  return { name: MARKET_DOMAIN_NAME, version: '1', address };
}
