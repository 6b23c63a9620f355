// Reads wallets' holdings from the chain in one call at one block, with the trades that those figures already contain.
import { type ContractRead, type Contracts, type NodeReader, readContractsFeatures } from '@presage/chain';
import type { Engine, TradeView } from '@presage/engine';
import { type Address, BUY, type Order, type OrderHash, YES } from '@presage/protocol';
import type { WaitingPermits } from '../relayer/waiting-permits.ts';
import { shareKey } from './reserve.ts';
import type { Holdings, ShareName, Wallet } from './wallet.ts';

export interface HoldingsReaderOptions {
  readonly node: NodeReader;
  readonly contracts: Contracts;
  /** Durable state only: every trade that can be mined was in it before it was sent. */
  readonly reads: Pick<Engine, 'market' | 'order'>;
}

/** Permits that a reorganization may drop from their block. */
export interface UnconfirmedPermits {
  readonly permits: Pick<WaitingPermits, 'isUnconfirmed' | 'lostAllowance'>;
}

/** A wallet to read, and orders whose nonce may be used on chain. */
export interface HoldingsQuery {
  readonly wallet: Wallet;
  readonly orders: readonly Order[];
}

/** An order and its trades that are not known to be mined. */
export interface PendingRead {
  readonly order: Order;
  readonly filledSize: number;
  /** Trades of the order, oldest first. */
  readonly trades: TradeView[];
}

interface Plan extends HoldingsQuery {
  readonly shares: readonly ShareName[];
  readonly pending: readonly PendingRead[];
  readonly hasDeposits: boolean;
  readonly hasUnconfirmed: boolean;
  readonly reads: readonly ContractRead<bigint | boolean>[];
}

const READS_PER_NONCE = 2;

export class HoldingsReader {
  readonly #options: HoldingsReaderOptions;
  readonly #node: NodeReader;
  readonly #permits: UnconfirmedPermits['permits'];

  constructor(options: HoldingsReaderOptions, { permits }: UnconfirmedPermits) {
    this.#options = options;
    this.#permits = permits;
    this.#node = options.node;
  }

  /** Reads all wallets at one block; if it rejects, their holdings stay unchanged. */
  async read(queries: readonly HoldingsQuery[]): Promise<void> {
    const { hasDeposits } = await readContractsFeatures(this.#options.contracts);
    const { hash, number } = await this.#node.head();
    // Planned after the head was read: a trade in that block was in the durable state before it was sent, so none is missed.
    const plans = queries.map((query) => this.#plan(query, hasDeposits));
    const reads = plans.flatMap((plan) => plan.reads);
    const answers = await this.#options.contracts.readTogether(reads, { block: { hash } });
    let from = 0;
    for (const plan of plans) {
      learn(plan, answers.slice(from, from + plan.reads.length), number);
      from += plan.reads.length;
    }
  }

  #plan({ wallet, orders }: HoldingsQuery, hasDeposits: boolean): Plan {
    const { contracts } = this.#options;
    const { stablecoin, conditionalTokens, settlement } = contracts;
    const { address } = wallet;
    const shares = wallet.shareNames().filter(({ marketId }) => this.#options.reads.market(marketId) !== undefined);
    const pending = pendingReadsOf(wallet.fills(), address, this.#options.reads);
    const hasUnconfirmed = this.#permits.isUnconfirmed(address);
    const reads = [
      ...(hasDeposits ? [this.#readingDeposit(address)] : []),
      ...(hasUnconfirmed ? [this.#readingLostAllowance(address)] : []),
      stablecoin.reading('balanceOf', [address]),
      stablecoin.reading('allowance', [address, settlement.address]),
      conditionalTokens.reading('isApprovedForAll', [address, settlement.address]),
      ...shares.map((name) => contracts.readingShares(address, this.#tokenIdOf(name))),
      ...pending.map(({ order }) => settlement.reading('filled', [address, order.marketId, order.nonce])),
      ...orders.flatMap(({ marketId, nonce }) => [
        settlement.reading('filled', [address, marketId, nonce]),
        settlement.reading('cancelEffectiveAfter', [address, marketId, nonce]),
      ]),
    ];
    return { wallet, orders, shares, pending, hasDeposits, hasUnconfirmed, reads };
  }

  #readingDeposit(wallet: Address): ContractRead<bigint> {
    const { decode, ...call } = this.#options.contracts.settlement.reading('ledgerOf', [wallet]);
    return { ...call, decode: (data) => decode(data)[0] };
  }

  /** The wallet's nonce at the same block shows which of its permits are missing there. */
  #readingLostAllowance(wallet: Address): ContractRead<bigint> {
    const { decode, ...call } = this.#options.contracts.stablecoin.reading('nonces', [wallet]);
    return { ...call, decode: (data) => this.#permits.lostAllowance(wallet, decode(data)) };
  }

  #tokenIdOf({ marketId, outcome }: ShareName): bigint {
    const facts = this.#options.reads.market(marketId)?.facts;
    if (facts === undefined) throw new Error(`a wallet sells in the unknown market ${marketId}`);
    return BigInt(outcome === YES ? facts.yesTokenId : facts.noTokenId);
  }
}

function learn(plan: Plan, answers: readonly (bigint | boolean)[], blockNumber: number): void {
  const { wallet, shares, pending, orders } = plan;
  const [deposited = 0n, ...others] = plan.hasDeposits ? answers : [0n, ...answers];
  const held = plan.hasUnconfirmed ? others : [0n, ...others];
  const [lostAllowance = 0n, balance = 0n, allowance = 0n, sharesApproved, ...rest] = held;
  const amounts = rest.map(BigInt);
  const settled = amounts.slice(shares.length, shares.length + pending.length);
  const holdings: Holdings = {
    balance: BigInt(balance),
    allowance: BigInt(allowance),
    deposited: BigInt(deposited),
    sharesApproved: sharesApproved === true,
    blockNumber,
    lostAllowance: BigInt(lostAllowance),
    shares: new Map(shares.map(({ marketId, outcome }, at) => [shareKey(marketId, outcome), amounts[at] ?? 0n])),
    contained: new Set(pending.flatMap((read, at) => findContained(read, settled[at] ?? 0n))),
  };
  wallet.setHoldings(holdings);
  const nonceAnswers = amounts.slice(shares.length + pending.length);
  for (const [at, { marketId, nonce }] of orders.entries()) {
    const uses = nonceAnswers.slice(at * READS_PER_NONCE, (at + 1) * READS_PER_NONCE);
    if (uses.some((amount) => amount > 0n)) wallet.noteUsedNonce(marketId, nonce);
  }
}

/** Orders of a wallet with trades that are not known to be mined. */
export function pendingReadsOf(
  fills: readonly TradeView[],
  wallet: Address,
  reads: Pick<Engine, 'order'>,
): PendingRead[] {
  const byOrder = new Map<OrderHash, PendingRead>();
  for (const trade of fills) {
    const hash = orderHashOf(trade, wallet);
    const view = reads.order(hash);
    if (view === undefined) continue;
    const read = byOrder.get(hash) ?? { order: view.signed.order, filledSize: view.filledSize, trades: [] };
    read.trades.push(trade);
    byOrder.set(hash, read);
  }
  return [...byOrder.values()].filter(({ trades }) => trades.some(({ stage }) => !isMined(stage)));
}

/** Trades that the settled size contains: fills of an order settle in the order they were matched, so the missing ones are the newest. */
export function findContained({ filledSize, trades }: Omit<PendingRead, 'order'>, settled: bigint): string[] {
  let missing = BigInt(filledSize) - settled;
  const contained: string[] = [];
  for (const { tradeId, size } of trades.toReversed()) {
    if (missing > 0n) missing -= BigInt(size);
    else contained.push(tradeId);
  }
  return contained;
}

/** The wallet's order in a trade; for a trade with oneself the purchase, since both sides settle together. */
function orderHashOf({ takerSide, takerHash, makerHash, buyer }: TradeView, wallet: Address): OrderHash {
  const [buyHash, sellHash] = takerSide === BUY ? [takerHash, makerHash] : [makerHash, takerHash];
  return buyer === wallet ? buyHash : sellHash;
}

export function isMined(stage: TradeView['stage']): boolean {
  return stage === 'mined' || stage === 'confirmed';
}
