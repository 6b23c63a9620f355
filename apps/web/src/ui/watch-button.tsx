// The star of a market: puts it on the list of watched ones, or takes it off.
import { toggleWatched, useIsWatched } from '../state/watchlist.ts';
import { Icon } from './icon.tsx';

export function WatchButton({ marketId, question }: { readonly marketId: string; readonly question: string }) {
  const isWatched = useIsWatched(marketId);
  return (
    <button
      type="button"
      className="icon-btn star"
      data-testid="watch"
      aria-pressed={isWatched}
      aria-label={`Watch: ${question}`}
      onClick={() => toggleWatched(marketId)}
    >
      <Icon name="star" />
    </button>
  );
}
