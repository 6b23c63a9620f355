// The simulated price feed: signed updates in Pyth's wire format, which stalls and jumps on demand.

import { keyOf } from '@presage/devchain';
import { SimulatedFeed, toHermesAnswer } from '@presage/devchain/in-process';
import { KNOWN_FEEDS } from '@presage/protocol';
import { openDigestSigner } from '@presage/protocol/digest-signer';
import type { Prices } from '../../apps/server/src/prices/prices.ts';
import { PythSource } from '../../apps/server/src/prices/pyth-source.ts';
import { toAnswer } from './sim-network.ts';

const sign = await openDigestSigner(keyOf('feedSigner').privateKey);
const [ASSET] = KNOWN_FEEDS;

export class SimFeed {
  readonly #feed: SimulatedFeed;

  constructor(nowSeconds: () => number) {
    this.#feed = new SimulatedFeed({ nowSeconds, sign });
    this.#feed.replacePins([]);
  }

  get isStalled(): boolean {
    return this.#feed.isStalled;
  }

  stall(isStalled: boolean): void {
    this.#feed.stall(isStalled);
  }

  /** Changes the price from the next second on. */
  jump(price: number): void {
    this.#feed.pin(ASSET!.pyth, price);
  }

  /** Answers `/v2/updates/price/{time}` like Hermes; undefined for any other host. */
  answer(url: URL): ReturnType<typeof toAnswer> | undefined {
    if (url.hostname !== 'feed') return undefined;
    const second = Number(url.pathname.split('/').at(-1));
    const update = this.#feed.at(ASSET!.pyth, second);
    if (update === undefined) return toAnswer(404, 'not there yet');
    return toAnswer(200, toHermesAnswer([update], { encoding: 'hex', parsed: true }));
  }

  /** Prices for a process: boundaries over the network, freshness directly from the feed. */
  openPrices(): Pick<Prices, 'boundaryUpdate' | 'isFresh'> {
    const ignore = () => undefined;
    const source = new PythSource({ url: 'http://feed', assets: [ASSET!], onQuote: ignore, onTrouble: ignore });
    return {
      boundaryUpdate: (asset, second) => source.boundaryUpdate(asset, second, true),
      isFresh: () => !this.#feed.isStalled,
    };
  }
}
