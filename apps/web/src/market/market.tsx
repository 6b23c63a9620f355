// The market screen: one market, chosen by its address and by nothing else.
import type { Market } from '@presage/sdk';
import type { MarketFeed } from '../state/market-feed.ts';
import { useMedia } from '../state/preferences.ts';
import type { Remote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useMarketFeed } from '../state/use-market-feed.ts';
import { Failed } from '../ui/states.tsx';
import { MarketChart } from './market-chart.tsx';
import { MarketColumns } from './market-columns.tsx';
import { MarketHeader } from './market-header.tsx';
import { HUGE, MarketList } from './market-list.tsx';
import { isDecided, ResolvedColumns } from './resolved.tsx';
import { useAskedSide } from './use-asked-side.ts';

interface MarketScreenProps {
  readonly marketId: string;
  readonly markets: Remote<readonly Market[]>;
}

export function MarketScreen({ marketId, markets }: MarketScreenProps) {
  const feed = useMarketFeed(marketId);
  const hasList = useMedia(HUGE);
  useAskedSide();
  return (
    <main id="main" tabIndex={-1} className={hasList ? 'terminal has-list' : 'terminal'} data-screen="market">
      {hasList && <MarketList markets={markets.value ?? []} currentId={marketId} />}
      {feed && <Columns feed={feed} />}
    </main>
  );
}

function Columns({ feed }: { readonly feed: MarketFeed }) {
  const { market, failure } = useWatched(feed.facts);
  if (market === undefined && failure !== undefined) {
    return (
      <section className="panel" aria-label="Market">
        <Failed what="The market" failure={failure} onRetry={() => void feed.reload()} />
      </section>
    );
  }
  if (market !== undefined && isDecided(market)) return <ResolvedColumns feed={feed} market={market} />;
  return (
    <MarketColumns feed={feed}>
      <MarketHeader feed={feed} />
      <MarketChart feed={feed} />
    </MarketColumns>
  );
}
