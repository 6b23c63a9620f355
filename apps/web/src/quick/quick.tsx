// The quick-market screen: the open window, then the next ones automatically.
import type { QuickMarket } from '@presage/sdk';
import { useEffect } from 'react';
import { QUICK_NAMES } from '../lib/outcomes.ts';
import { MarketColumns } from '../market/market-columns.tsx';
import { useAskedSide } from '../market/use-asked-side.ts';
import { usePage } from '../state/page-context.ts';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useWatched } from '../state/store.ts';
import { useMarketFeed, useQuickFeed } from '../state/use-market-feed.ts';
import { useTitle } from '../state/use-title.ts';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { QuickChart } from './quick-chart.tsx';
import { QuickClaim } from './quick-claim.tsx';
import { QuickHeader } from './quick-header.tsx';
import { QuickResults, useResults } from './quick-results.tsx';

export function QuickScreen({ asset }: { readonly asset: string }) {
  useTitle(`${asset} up or down`, `Will ${asset} be up or down in 15 minutes? A new market every quarter of an hour.`);
  const quick = useQuickFeed(asset);
  const { ticket } = usePage();
  useEffect(() => () => ticket.leave(), [ticket]);
  useResults(quick);
  const { window, failure } = useWatched(quick.state);
  useAskedSide(window?.marketId);
  return (
    <main id="main" tabIndex={-1} className="terminal" data-screen="quick" data-window={window?.marketId}>
      {window ? (
        <OpenWindow key={window.marketId} quick={quick} window={window} />
      ) : (
        <section className="col" aria-label="Market">
          {window === undefined && failure === undefined && <Skeleton rows={20} />}
          {window === undefined && failure !== undefined && (
            <Failed what={`The quick market of ${asset}`} of={{ failure, reload: () => void quick.reload() }} />
          )}
          {window === null && <BetweenWindows quick={quick} />}
        </section>
      )}
    </main>
  );
}

function OpenWindow({ quick, window }: { readonly quick: QuickFeed; readonly window: QuickMarket }) {
  const feed = useMarketFeed(window.marketId, QUICK_NAMES);
  return (
    <MarketColumns feed={feed} asset={quick.asset}>
      <QuickHeader quick={quick} window={window} feed={feed} />
      <section className="panel" aria-label="Price and the price to beat">
        <QuickChart quick={quick} window={window} />
      </section>
      <QuickClaim quick={quick} />
      <QuickResults quick={quick} />
    </MarketColumns>
  );
}

function BetweenWindows({ quick }: { readonly quick: QuickFeed }) {
  return (
    <>
      <QuickHeader quick={quick} window={null} feed={undefined} />
      <section className="panel" aria-label="Price">
        <QuickChart quick={quick} window={null} />
      </section>
      <QuickClaim quick={quick} />
      <QuickResults quick={quick} />
      <section className="panel" aria-label="Between windows">
        <Empty
          icon="clock"
          text={`No window of ${quick.asset} is open at this moment. The next one opens by itself; this page follows.`}
        />
      </section>
    </>
  );
}
