// The primary source: Pyth's prices through Hermes, live by its stream and by time for boundaries.
import type { AssetFeeds } from '@presage/protocol';
import { priceFromMantissa } from './exact-price.ts';
import { HermesClient, type HermesClientOptions } from './hermes-client.ts';
import { HermesMalformed, type HermesMessage, type HermesUpdate, parseHermes } from './hermes-message.ts';
import { type BoundaryUpdate, type Price, type PriceSource, type Quote, toPrice } from './ports.ts';
import { SourceRunner } from './source-runner.ts';

export interface PythSourceOptions extends HermesClientOptions {
  readonly assets: readonly AssetFeeds[];
  readonly onQuote: (quote: Quote) => void;
  readonly onTrouble: (error: unknown) => void;
  /** Runs before each connection; the sandbox uses it to send its pinned prices to the feed. */
  readonly beforeConnect?: () => Promise<void>;
}

/** Longest time from a boundary to the publication of its price; a later price is not valid. */
const BOUNDARY_SECONDS = 60;

export class PythSource extends SourceRunner implements PriceSource {
  readonly name = 'pyth';
  readonly #options: PythSourceOptions;
  readonly #client: HermesClient;
  readonly #assets: ReadonlyMap<string, string>;

  constructor(options: PythSourceOptions) {
    super(options.onTrouble);
    this.#options = options;
    this.#client = new HermesClient(options);
    this.#assets = new Map(options.assets.map(({ asset, pyth }) => [pyth, asset]));
  }

  urlOf(asset: string): string {
    return this.#client.urlOf('stream', [this.#feedId(asset)]);
  }

  knows(asset: string): boolean {
    return this.#options.assets.some((feeds) => feeds.asset === asset);
  }

  /** Boundary price; undefined while there is no unique update in time. */
  async boundaryUpdate(asset: string, time: number, allowsSimulated: boolean): Promise<BoundaryUpdate | undefined> {
    const feedId = this.#feedId(asset);
    const message = await this.#client.at([feedId], time);
    const update = message?.updates.find((each) => each.feedId === feedId);
    if (message?.payload === undefined || update === undefined) return undefined;
    if (message.simulated && !allowsSimulated) return undefined;
    const { price, expo, publishTime, prevPublishTime } = update;
    if (prevPublishTime === undefined || prevPublishTime >= time) return undefined;
    if (publishTime < time || publishTime > time + BOUNDARY_SECONDS) return undefined;
    return { price, expo, publishTime, prevPublishTime, payload: message.payload };
  }

  /** First prices of all assets at or after a time. */
  async at(timeSeconds: number, allowsSimulated: boolean): Promise<readonly Price[]> {
    const message = await this.#client.at([...this.#assets.keys()], timeSeconds);
    if (message === undefined || (message.simulated && !allowsSimulated)) return [];
    return message.updates.flatMap((update) => {
      const quote = this.#toQuote(update, message.simulated);
      return quote === undefined ? [] : [toPrice(quote)];
    });
  }

  protected async connect(signal: AbortSignal, onGood: () => void): Promise<void> {
    const ids = [...this.#assets.keys()];
    await this.#options.beforeConnect?.();
    this.#take(await this.#client.latest(ids, signal), onGood);
    await this.#client.follow(ids, signal, (text) => {
      try {
        this.#take(parseHermes(text), onGood);
      } catch (error) {
        if (!(error instanceof HermesMalformed)) throw error;
        this.#options.onTrouble(error);
      }
    });
  }

  #take({ updates, simulated }: HermesMessage, onGood: () => void): void {
    for (const update of updates) {
      const quote = this.#toQuote(update, simulated);
      if (quote === undefined) continue;
      onGood();
      this.#options.onQuote(quote);
    }
  }

  #toQuote({ feedId, price, conf, expo, publishTime }: HermesUpdate, simulated: boolean): Quote | undefined {
    const asset = this.#assets.get(feedId);
    const exact = priceFromMantissa(price, expo);
    if (asset === undefined || exact === undefined) return undefined;
    const confidence = priceFromMantissa(conf, expo) ?? (conf === 0n ? 0 : Number.MAX_SAFE_INTEGER);
    return { asset, price: exact, timeMs: publishTime * 1_000, source: this.name, simulated, confidence };
  }

  #feedId(asset: string): string {
    const feeds = this.#options.assets.find((each) => each.asset === asset);
    if (feeds === undefined) throw new Error(`${asset} is not configured`);
    return feeds.pyth;
  }
}
