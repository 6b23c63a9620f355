// The star of a market: adds it to the watchlist, or removes it.
import { toggleWatched, useIsWatched } from '../state/watchlist.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';

export function WatchButton({ marketId, question }: { readonly marketId: string; readonly question: string }) {
  const isWatched = useIsWatched(marketId);
  return (
    <Button
      className="icon-btn star"
      testId="watch"
      aria-pressed={isWatched}
      aria-label={`Watch: ${question}`}
      onClick={() => toggleWatched(marketId)}
    >
      <Icon name="star" />
    </Button>
  );
}
