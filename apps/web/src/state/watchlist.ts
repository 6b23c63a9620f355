// The markets that the visitor watches.
import { KeptSet } from './kept-set.ts';
import { usePart, useWatched } from './store.ts';

const watchlist = new KeptSet('presage.watchlist');

export function toggleWatched(marketId: string): void {
  watchlist.toggle(marketId);
}

export function useWatchlist(): ReadonlySet<string> {
  return useWatched(watchlist.store);
}

export function useIsWatched(marketId: string): boolean {
  return usePart(watchlist.store, (list) => list.has(marketId));
}
