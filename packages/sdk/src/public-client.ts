// The public client: all public reads, and the streams.
import { Http, type HttpOptions } from './http.ts';
import { disputeCalls } from './reads/dispute-calls.ts';
import { eventReads } from './reads/event-reads.ts';
import { marketReads } from './reads/market-reads.ts';
import { quickReads } from './reads/quick-reads.ts';
import { serviceReads } from './reads/service-reads.ts';
import { claimReads, orderReads, userReads } from './reads/user-reads.ts';
import { watchActions } from './stream/watch-actions.ts';

export type PublicClientOptions = HttpOptions;

/** Named, so that the published types do not repeat every response. */
export interface PublicActions
  extends ReturnType<typeof serviceReads>,
    ReturnType<typeof marketReads>,
    ReturnType<typeof eventReads>,
    ReturnType<typeof disputeCalls>,
    ReturnType<typeof userReads>,
    ReturnType<typeof orderReads>,
    ReturnType<typeof claimReads>,
    ReturnType<typeof quickReads>,
    ReturnType<typeof watchActions> {}

export function publicActions(http: Http): PublicActions {
  return {
    ...serviceReads(http),
    ...marketReads(http),
    ...eventReads(http),
    ...disputeCalls(http),
    ...userReads(http),
    ...orderReads(http),
    ...claimReads(http),
    ...quickReads(http),
    ...watchActions(http),
  };
}

export interface PublicClient extends PublicActions {
  readonly url: string;
}

/** A client without a wallet: markets, books, prices, statistics, and every wallet's public record. */
export function createPublicClient(options: PublicClientOptions): PublicClient {
  const http = new Http(options);
  return { url: http.url, ...publicActions(http) };
}
