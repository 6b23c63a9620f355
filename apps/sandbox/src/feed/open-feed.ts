// The simulated feed put together: the key that signs, the price walk, the server.
import { openDigestSigner } from '@presage/protocol/digest-signer';
import { keyOf } from '../chain/sandbox-keys.ts';
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
  const sign = await openDigestSigner(keyOf('feedSigner').privateKey);
  return FeedServer.open({ feed: new SimulatedFeed({ nowSeconds, sign }), host, port });
}
