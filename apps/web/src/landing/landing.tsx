// The landing page: what this is, the quick markets, and all markets as cards.
import type { Market } from '@presage/sdk';
import { useDeferredValue, useMemo, useState } from 'react';
import { type MarketListQuery, pickMarkets } from '../lib/market-picks.ts';
import { usePage } from '../state/page-context.ts';
import type { Remote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { useWatchlist } from '../state/watchlist.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { Intro } from './intro.tsx';
import { MarketCard } from './market-card.tsx';
import { MarketFilters } from './market-filters.tsx';
import { QuickCards } from './quick-cards.tsx';

/** Cards at a time: thousands at once would take seconds to draw. */
const PAGE = 60;

export function LandingScreen({ markets }: { readonly markets: Remote<readonly Market[]> }) {
  useTitle('Markets');
  return (
    <main id="main" tabIndex={-1} className="page" data-screen="landing">
      <Intro />
      <QuickCards markets={markets.value ?? []} />
      <AllMarkets markets={markets} />
    </main>
  );
}

/** The bar's search has no room on narrow screens. */
function PageSearch() {
  const { search } = usePage();
  return (
    <div className="page-search">
      <Icon name="search" />
      <input
        type="search"
        className="input"
        placeholder="Search markets"
        aria-label="Search all markets"
        autoComplete="off"
        data-testid="page-search"
        value={useWatched(search)}
        onChange={(event) => search.set(event.target.value)}
      />
    </div>
  );
}

function AllMarkets({ markets }: { readonly markets: Remote<readonly Market[]> }) {
  const [query, setQuery] = useState<Omit<MarketListQuery, 'search'>>({
    category: 'all',
    sort: 'volume',
    isWatched: false,
  });
  const watchlist = useWatchlist();
  const [pages, setPages] = useState(1);
  const search = useDeferredValue(useWatched(usePage().search));
  const picked = useMemo(
    () => pickMarkets(markets.value ?? [], { ...query, search }, watchlist),
    [markets.value, query, search, watchlist],
  );
  const shown = picked.slice(0, pages * PAGE);
  const open = (markets.value ?? []).filter(({ kind, status }) => kind === 'standard' && status === 'open').length;
  const change = (part: Partial<typeof query>) => {
    setQuery((before) => ({ ...before, ...part }));
    setPages(1);
  };
  return (
    <>
      <div className="section-head">
        <h2>
          Markets <span>{open} open</span>
        </h2>
      </div>
      <PageSearch />
      <MarketFilters query={query} onChange={change} />
      {markets.state === 'loading' && <Skeleton rows={20} rowHeight={40} />}
      {markets.state === 'error' && (
        <Failed what="The list of markets" failure={markets.failure} onRetry={markets.reload} />
      )}
      {markets.state === 'ready' && (
        <section
          className="cards"
          aria-label="All markets"
          data-testid="market-list"
          data-state={picked.length === 0 ? 'empty' : 'ready'}
          data-rows=""
        >
          {shown.map((market) => (
            <MarketCard key={market.id} market={market} />
          ))}
          {picked.length === 0 && (
            <Empty
              icon="search"
              text={
                query.isWatched && watchlist.size === 0
                  ? 'You watch no market yet. The star on a card puts it here.'
                  : 'No market fits. Clear the search, or pick another category.'
              }
            />
          )}
        </section>
      )}
      {shown.length < picked.length && (
        <p className="more-cards">
          <button
            type="button"
            className="btn btn-line"
            data-testid="more-markets"
            onClick={() => setPages((count) => count + 1)}
          >
            Show more: {shown.length} of {picked.length}
          </button>
        </p>
      )}
    </>
  );
}
