// The markets that the visitor watches, kept in this browser and shared by its tabs.
import { Store, usePart, useWatched } from './store.ts';

const KEY = 'presage.watchlist';

const watchlist = new Store<ReadonlySet<string>>(read());
addEventListener('storage', ({ key }) => {
  if (key === KEY) watchlist.set(read());
});

function read(): ReadonlySet<string> {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return new Set(Array.isArray(list) ? list.map(String) : []);
  } catch {
    return new Set();
  }
}

export function toggleWatched(marketId: string): void {
  const next = new Set(watchlist.get());
  if (!next.delete(marketId)) next.add(marketId);
  localStorage.setItem(KEY, JSON.stringify([...next]));
  watchlist.set(next);
}

export function useWatchlist(): ReadonlySet<string> {
  return useWatched(watchlist);
}

export function useIsWatched(marketId: string): boolean {
  return usePart(watchlist, (list) => list.has(marketId));
}
