// The trading screen: the list of markets and the selected one.
import type { Market } from '@presage/sdk';
import { usePath } from '../app/router.tsx';
import { pickMarkets } from '../lib/market-picks.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import type { Remote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useMarketFeed } from '../state/use-market-feed.ts';
import { MarketChart } from '../widgets/market-chart.tsx';
import { MarketHeader } from '../widgets/market-header.tsx';
import { MarketListPanel } from '../widgets/market-list.tsx';
import { Empty, Failed, Skeleton } from '../widgets/states.tsx';
import { MarketColumns } from './market-columns.tsx';

interface TradeProps {
  readonly marketId: string | undefined;
  readonly markets: Remote<readonly Market[]>;
}

export function TradeScreen({ marketId, markets }: TradeProps) {
  const first = pickMarkets(markets.value ?? [], { search: '', category: 'all', sort: 'volume' })[0]?.id;
  const shown = marketId ?? first;
  const path = usePath();
  const feed = useMarketFeed(shown);
  return (
    <main id="main" tabIndex={-1} className="grid" data-screen="trade">
      <MarketListPanel markets={markets} current={shown === undefined ? path : `/m/${shown}`} />
      {feed === undefined ? (
        <NoMarket isLoading={markets.state === 'loading'} />
      ) : (
        <TradeColumns key={feed.marketId} feed={feed} />
      )}
    </main>
  );
}

function TradeColumns({ feed }: { readonly feed: MarketFeed }) {
  const { market, failure } = useWatched(feed.facts);
  if (market === undefined && failure !== undefined) {
    return (
      <section className="g-main" aria-label="Market">
        <Failed what="The market" failure={failure} onRetry={() => void feed.reload()} />
      </section>
    );
  }
  return (
    <MarketColumns feed={feed}>
      <MarketHeader feed={feed} />
      <MarketChart feed={feed} />
    </MarketColumns>
  );
}

function NoMarket({ isLoading }: { readonly isLoading: boolean }) {
  return (
    <section className="g-main" aria-label="Market">
      {isLoading ? (
        <Skeleton rows={20} />
      ) : (
        <Empty text="No market is listed yet. In the sandbox you can list one yourself: open the sandbox panel." />
      )}
    </section>
  );
}
