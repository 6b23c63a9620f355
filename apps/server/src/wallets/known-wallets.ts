// Wallets that the collateral check keeps in memory: those with open orders or unsettled trades, and those seen recently.
import type { Engine } from '@presage/engine';
import type {
  Address,
  EngineEvent,
  JournalRecord,
  MarketId,
  OrderHash,
  RecordOf,
  TradeFailed,
} from '@presage/protocol';
import type { IGNORED } from '../projections/view-model.ts';
import type { CoverKeeper } from './cover-keeper.ts';
import { type Holdings, Wallet } from './wallet.ts';

export interface KnownWalletsOptions {
  /** Durable state, which has applied every record before it is followed here. */
  readonly reads: Pick<Engine, 'facts' | 'order' | 'openOrders' | 'trade' | 'unsettledTrades'>;
  readonly wallMs: () => number;
  /** Judges wallets that may lack cover: an order was restored to the book, or a permit or fill that they count on failed. */
  readonly keeper: Pick<CoverKeeper, 'judge'>;
}

interface InMarket {
  readonly marketId: MarketId;
}

/** Records that do not concern orders and trades. */
type Groups = typeof IGNORED;
/** A revived trade reserves nothing: its effect is read from the chain. */
type Ignored =
  | keyof Groups['markets']
  | keyof Groups['shares']
  | keyof Groups['claims']
  | keyof Groups['others']
  | 'trade-revived';

/** How long an idle wallet is kept: enough for a person who trades by hand; a bot comes more often. */
const KEPT_MS = 600_000;

export class KnownWallets {
  readonly #options: KnownWalletsOptions;
  readonly #wallets = new Map<Address, Wallet>();
  readonly #visitedMs = new Map<Address, number>();
  #revision = 0;

  constructor(options: KnownWalletsOptions) {
    this.#options = options;
  }

  /** Changes whenever a wallet is added or dropped. */
  get revision(): number {
    return this.#revision;
  }

  addresses(): Address[] {
    return [...this.#wallets.keys()];
  }

  all(): Wallet[] {
    return [...this.#wallets.values()];
  }

  get(address: Address): Wallet | undefined {
    return this.#wallets.get(address);
  }

  /** Returns the wallet and follows it from now on. */
  visit(address: Address): Wallet {
    this.#visitedMs.set(address, this.#options.wallMs());
    const known = this.#wallets.get(address);
    if (known !== undefined) return known;
    const wallet = this.load(address);
    this.#wallets.set(address, wallet);
    this.#revision++;
    return wallet;
  }

  /** A snapshot; it does not update. */
  load(address: Address, holdings?: Holdings): Wallet {
    const { reads } = this.#options;
    const wallet = new Wallet(address, (marketId) => reads.facts(marketId)?.feeRateBps);
    if (holdings !== undefined) wallet.setHoldings(holdings);
    for (const view of reads.openOrders({ trader: address })) wallet.touchOrder(view);
    for (const trade of reads.unsettledTrades({ trader: address })) wallet.touchFill(trade);
    return wallet;
  }

  evictIdle(): void {
    const oldestMs = this.#options.wallMs() - KEPT_MS;
    for (const [address, wallet] of this.#wallets) {
      if ((this.#visitedMs.get(address) ?? 0) <= oldestMs) this.leave(wallet);
    }
  }

  /** Stops following the wallet, unless it has a reserve or a question in progress. */
  leave(wallet: Wallet): void {
    const { address, isIdle } = wallet;
    if (!isIdle || this.#wallets.get(address) !== wallet) return;
    this.#wallets.delete(address);
    this.#visitedMs.delete(address);
    this.#revision++;
  }

  follow(record: JournalRecord): void {
    if (this.#wallets.size === 0) return;
    switch (record.type) {
      case 'order-accepted':
        this.#followOrder(record, record.orderHash, record.order.trader);
        break;
      case 'order-cancelled':
        this.#followOrder(record, record.orderHash, record.trader);
        break;
      case 'order-restored':
        this.#followRestored(record);
        break;
      case 'permit-changed':
        if (record.status === 'failed' || record.status === 'skipped') this.#followRestored(record);
        break;
      case 'trade-matched':
        this.#followOrder(record, record.makerHash, record.maker);
        this.#followOrder(record, record.takerHash, record.taker);
        this.#followTrade(record);
        break;
      case 'trade-moved':
        this.#followTrade(record);
        break;
      case 'trade-failed':
        this.#followFailed(record);
        break;
      default:
        record satisfies RecordOf<Ignored>;
    }
  }

  /** The proceeds of a failed trade no longer count, so its parties are judged. */
  #followFailed(failed: TradeFailed): void {
    const parties = [...this.#partiesOf(failed)];
    for (const wallet of parties) wallet.dropFill(failed.marketId, failed.tradeId);
    this.#options.keeper.judge(parties);
  }

  /** Only an engine of an older version, in a cluster, still writes records without parties. */
  #partiesOf({ buyer, seller }: TradeFailed): Iterable<Wallet> {
    if (buyer === undefined || seller === undefined) return this.#wallets.values();
    return [buyer, seller].flatMap((address) => this.#wallets.get(address) ?? []);
  }

  /** Updates an order. One that the engine has removed is final. */
  #followOrder({ marketId }: InMarket, orderHash: OrderHash, trader: Address): void {
    const wallet = this.#wallets.get(trader);
    if (wallet === undefined) return;
    const view = this.#options.reads.order(orderHash);
    if (view === undefined) wallet.dropOrder(marketId, orderHash);
    else wallet.touchOrder(view);
  }

  #followRestored(record: InMarket & { readonly orderHash: OrderHash }): void {
    const trader = this.#options.reads.order(record.orderHash)?.signed.order.trader;
    if (trader === undefined) return;
    this.#followOrder(record, record.orderHash, trader);
    const wallet = this.#wallets.get(trader);
    if (wallet !== undefined) this.#options.keeper.judge([wallet]);
  }

  #followTrade({ marketId, tradeId }: Extract<EngineEvent, { tradeId: string }>): void {
    const trade = this.#options.reads.trade(marketId, tradeId);
    if (trade === undefined) return;
    this.#wallets.get(trade.buyer)?.touchFill(trade);
    this.#wallets.get(trade.seller)?.touchFill(trade);
  }
}
