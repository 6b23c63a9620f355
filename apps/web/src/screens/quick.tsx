// The quick-market screen: the open window, then the next ones automatically.
import type { Market, QuickMarket } from '@presage/sdk';
import { usePath } from '../app/router.tsx';
import type { QuickFeed } from '../state/quick-feed.ts';
import type { Remote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useMarketFeed, useQuickFeed } from '../state/use-market-feed.ts';
import { MarketListPanel } from '../widgets/market-list.tsx';
import { QuickChart } from '../widgets/quick-chart.tsx';
import { QuickHeader } from '../widgets/quick-header.tsx';
import { Empty, Failed, Skeleton } from '../widgets/states.tsx';
import { MarketColumns } from './market-columns.tsx';

interface QuickProps {
  readonly asset: string;
  readonly markets: Remote<readonly Market[]>;
}

export function QuickScreen({ asset, markets }: QuickProps) {
  const quick = useQuickFeed(asset);
  const { window, failure } = useWatched(quick.state);
  return (
    <main id="main" tabIndex={-1} className="grid" data-screen="quick" data-window={window?.marketId}>
      <MarketListPanel markets={markets} current={usePath()} />
      {window ? (
        <OpenWindow key={window.marketId} quick={quick} window={window} />
      ) : (
        <section className="g-main" aria-label="Market">
          {window === undefined && failure === undefined && <Skeleton rows={20} />}
          {window === undefined && failure !== undefined && (
            <Failed what={`The quick market of ${asset}`} failure={failure} onRetry={() => void quick.reload()} />
          )}
          {window === null && <BetweenWindows quick={quick} />}
        </section>
      )}
    </main>
  );
}

function OpenWindow({ quick, window }: { readonly quick: QuickFeed; readonly window: QuickMarket }) {
  const feed = useMarketFeed(window.marketId);
  if (feed === undefined) return null;
  return (
    <MarketColumns feed={feed}>
      <QuickHeader quick={quick} window={window} feed={feed} />
      <QuickChart quick={quick} window={window} />
    </MarketColumns>
  );
}

function BetweenWindows({ quick }: { readonly quick: QuickFeed }) {
  return (
    <>
      <QuickHeader quick={quick} window={null} feed={undefined} />
      <QuickChart quick={quick} window={null} />
      <Empty
        text={`No window of ${quick.asset} is open at this moment. The next one opens by itself; this page follows.`}
      />
    </>
  );
}
