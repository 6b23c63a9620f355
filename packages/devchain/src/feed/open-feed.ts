// The simulated feed put together: the key that signs, the price walk, the server.
import { openDigestSigner, type SignDigest } from '@presage/protocol/digest-signer';
import { keyOf } from '../sandbox-keys.ts';
import { FeedServer } from './feed-server.ts';
import { SimulatedFeed } from './simulated-feed.ts';

export interface OpenFeedOptions {
  readonly host: string;
  /** Without one there is no feed. */
  readonly port: number | undefined;
  readonly nowSeconds: () => number;
}

export async function openFeed({ host, port, nowSeconds }: OpenFeedOptions): Promise<FeedServer | undefined> {
  if (port === undefined) return undefined;
  const signer = new LateSigner();
  const feed = new SimulatedFeed({ nowSeconds, sign: signer.sign });
  return FeedServer.open({ feed, beforePrices: () => signer.open(), host, port });
}

/** Opened with the first request for a price: loading the code that signs takes an eighth of the chain's start. */
class LateSigner {
  #opened: SignDigest | undefined;

  async open(): Promise<void> {
    this.#opened ??= await openDigestSigner(keyOf('feedSigner').privateKey);
  }

  readonly sign: SignDigest = (digest) => {
    if (this.#opened === undefined) throw new Error('nobody has asked for a price yet');
    return this.#opened(digest);
  };
}
