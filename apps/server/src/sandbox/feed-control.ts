// Controls the sandbox's simulated feed: prices set by hand, journalled, and sent again to a feed that was restarted.
import { type AssetFeeds, type JournalRecord, PresageError, type PricePinned } from '@presage/protocol';
import { messageOf, SerialQueue } from '@presage/runtime';

export interface FeedControlOptions {
  readonly url: string | undefined;
  readonly assets: readonly AssetFeeds[];
  readonly nowMs: () => number;
  /** Resolves once the record is durable. */
  readonly journal: (record: PricePinned) => Promise<void>;
}

const TIMEOUT_MS = 5_000;

export class FeedControl {
  readonly #options: FeedControlOptions;
  readonly #pins: PricePinned[] = [];
  readonly #queue = new SerialQueue();

  constructor(options: FeedControlOptions) {
    this.#options = options;
  }

  /** Called with each durable record of the control partition. */
  follow(record: JournalRecord): void {
    if (record.type === 'price-pinned') this.#pins.push(record);
  }

  /** A feed that was restarted knows no pins and publishes nothing until it has them. */
  sendPins(): Promise<void> {
    return this.#inTurn(async () => {
      const pins = this.#pins.flatMap(({ asset, from, price }) => {
        const feeds = this.#options.assets.find((each) => each.asset === asset);
        return feeds === undefined ? [] : [{ feedId: feeds.pyth, from, price }];
      });
      await this.#send('PUT', '/sandbox/pins', pins);
    });
  }

  /** Pins a price from the first second that the feed has not published, and returns that second. */
  pin(asset: string, price: number | null): Promise<number> {
    return this.#inTurn(async () => {
      const { nowMs, journal, assets } = this.#options;
      const feedId = assets.find((each) => each.asset === asset)?.pyth;
      const { from } = await this.#send<{ from: number }>('POST', '/sandbox/pins', { feedId, price });
      await journal({ type: 'price-pinned', timeMs: nowMs(), asset, from, price });
      return from;
    });
  }

  async setOracle(oracle: 'normal' | 'stalled'): Promise<void> {
    await this.#send('PUT', '/sandbox/oracle', { oracle });
  }

  /** An unreachable feed counts as stalled: it gives no prices either. */
  async oracle(): Promise<'normal' | 'stalled'> {
    try {
      return (await this.#send<{ oracle: 'normal' | 'stalled' }>('GET', '/sandbox/oracle')).oracle;
    } catch {
      return 'stalled';
    }
  }

  /** A new pin must not overtake the list of all pins before it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  /** The simulated feed is our own program: the type of an answer follows from the path, and is not checked. */
  async #send<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const { url } = this.#options;
    if (url === undefined) throw new PresageError('price_unavailable', { reason: 'there is no price feed' });
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url + path, {
        method,
        signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.ok) return await response.json();
      throw new Error(`${response.status} ${await response.text()}`);
    } catch (error) {
      throw new PresageError('price_unavailable', {
        reason: `the price feed: ${messageOf(error)}`,
      });
    }
  }
}
