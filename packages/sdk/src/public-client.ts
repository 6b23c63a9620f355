// The public half of the client: everything anyone may read, and the streams.
import { Http, type HttpOptions } from './http.ts';
import { disputeCalls } from './reads/dispute-calls.ts';
import { marketReads } from './reads/market-reads.ts';
import { quickReads } from './reads/quick-reads.ts';
import { serviceReads } from './reads/service-reads.ts';
import { userReads } from './reads/user-reads.ts';
import { watchActions } from './stream/watch-actions.ts';

export type PublicClientOptions = HttpOptions;

export function publicActions(http: Http) {
  return {
    ...serviceReads(http),
    ...marketReads(http),
    ...disputeCalls(http),
    ...userReads(http),
    ...quickReads(http),
    ...watchActions(http),
  };
}

export type PublicActions = ReturnType<typeof publicActions>;

/** A client without a wallet: markets, books, prices, statistics, and every wallet's public record. */
export function createPublicClient(options: PublicClientOptions) {
  const http = new Http(options);
  return { url: http.url, ...publicActions(http) };
}

export type PublicClient = ReturnType<typeof createPublicClient>;
