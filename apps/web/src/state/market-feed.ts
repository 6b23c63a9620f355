// One live market: its data, both books, its trades and its resolution, read once and then updated by the stream.
import type { BookEvent, Market, PublicClient, ResolutionStatus, Trade, WatchMarketEvent } from '@presage/sdk';
import type { OutcomeNames } from '../lib/outcomes.ts';
import type { Connection } from './connection.ts';
import { type Failure, mayPass, toFailure } from './failure.ts';
import type { Page } from './page-context.ts';
import { FrameStore, Store } from './store.ts';

export interface Books {
  readonly YES: BookEvent | undefined;
  readonly NO: BookEvent | undefined;
}

interface MarketFacts {
  readonly market: Market | undefined;
  readonly resolution: ResolutionStatus | undefined;
  readonly failure: Failure | undefined;
}

const TRADES_SHOWN = 50;
/** Delay after the last trade, or after a failed read, before the market's data is read again, which includes its volumes. */
const CALM_MS = 1_500;

type ChangeTrades = (trades: readonly Trade[]) => readonly Trade[];

export class MarketFeed {
  readonly marketId: string;
  /** Names of the two outcomes on the screen. */
  readonly names: OutcomeNames;
  readonly books = new FrameStore<Books>({ YES: undefined, NO: undefined });
  /** Trades, newest first; undefined until they are read. */
  readonly trades = new FrameStore<readonly Trade[] | undefined>(undefined);
  readonly facts = new Store<MarketFacts>({ market: undefined, resolution: undefined, failure: undefined });
  readonly #reader: PublicClient;
  readonly #connection: Connection;
  readonly #controller = new AbortController();
  #calm: ReturnType<typeof setTimeout> | undefined;
  #reads = 0;
  /** Number of the oldest read whose answer may be shown; answers of earlier reads are older than the screen. */
  #oldestRead = 0;
  #underWay = 0;
  /** Changes of trades that the stream sent during reads, with the number of the newest read then: answers up to that read may lack them. */
  #changes: { readonly read: number; readonly change: ChangeTrades }[] = [];

  constructor({ reader, connection }: Pick<Page, 'reader' | 'connection'>, marketId: string, names: OutcomeNames) {
    this.marketId = marketId;
    this.names = names;
    this.#reader = reader;
    this.#connection = connection;
  }

  /** Id of the market's chain, known once the market is read, before its trades are. */
  get chainId(): number | undefined {
    return this.facts.get().market?.chainId;
  }

  start(): () => void {
    const signs = this.#connection.callbacksFor('market');
    void this.#follow(signs);
    void this.reload();
    return () => {
      this.#controller.abort();
      clearTimeout(this.#calm);
      signs.release();
    };
  }

  async reload(): Promise<void> {
    const options = { signal: this.#controller.signal };
    const read = ++this.#reads;
    this.#underWay += 1;
    try {
      const [market, resolution, { trades }] = await Promise.all([
        this.#reader.getMarket(this.marketId, options),
        this.#reader.getResolution(this.marketId, options),
        this.#reader.listTrades(this.marketId, options),
      ]);
      if (read < this.#oldestRead) return;
      this.#oldestRead = read;
      this.facts.set({ market, resolution, failure: undefined });
      const missed = this.#changes.filter((each) => each.read >= read);
      const shown = missed.reduce((list: readonly Trade[], { change }) => change(list), trades);
      this.trades.update(() => shown.slice(0, TRADES_SHOWN));
    } catch (error) {
      if (options.signal.aborted) return;
      this.facts.update((facts) => ({ ...facts, failure: toFailure(error) }));
      if (mayPass(error)) this.#readSoon();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#changes = [];
    }
  }

  #readSoon(): void {
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => void this.reload(), CALM_MS);
  }

  async #follow(signs: ReturnType<Connection['callbacksFor']>): Promise<void> {
    try {
      const events = this.#reader.watchMarket(this.marketId, { signal: this.#controller.signal, ...signs });
      for await (const event of events) this.#accept(event);
    } catch (error) {
      // The service refused the stream for good; its silence says nothing about the service's health.
      signs.release();
      // Keeps the failure of a refused request: its request id is more useful than the stream's error.
      this.facts.update((facts) => ({ ...facts, failure: facts.failure ?? toFailure(error) }));
    }
  }

  #accept(event: WatchMarketEvent): void {
    if (event.type === 'book') this.books.update((books) => ({ ...books, [event.outcome]: event }));
    else if (event.type === 'trade') this.#onTrade(event.data);
    else if (event.type === 'trade_status') this.#onTradeStatus(event.data);
    else if (event.type === 'resolution') this.#onResolution(event.data);
    else if (event.type === 'market' || event.type === 'gap') void this.reload();
  }

  /** Drops the answers of reads in flight, which may be older. A message about the market follows and triggers a new read. */
  #onResolution(resolution: ResolutionStatus): void {
    this.facts.update((facts) => ({ ...facts, resolution }));
    this.#oldestRead = this.#reads + 1;
  }

  #onTrade(trade: Trade): void {
    this.#changeTrades((trades) => (trades.some(({ id }) => id === trade.id) ? trades : [trade, ...trades]));
    this.#readSoon();
  }

  /** Failed trades are removed from the list of trades. */
  #onTradeStatus(trade: Trade): void {
    this.#changeTrades((trades) =>
      trade.status === 'failed'
        ? trades.filter(({ id }) => id !== trade.id)
        : trades.map((each) => (each.id === trade.id ? trade : each)),
    );
  }

  #changeTrades(change: ChangeTrades): void {
    if (this.#underWay > 0) this.#changes.push({ read: this.#reads, change });
    this.trades.update((trades) => trades && change(trades).slice(0, TRADES_SHOWN));
  }
}
