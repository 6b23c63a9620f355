// The landing page: the introduction, the quick markets, and all markets as cards.
import type { Market } from '@presage/sdk';
import { useDeferredValue, useMemo, useState } from 'react';
import { SearchInput } from '../app/search.tsx';
import { isEvent, type Listed } from '../lib/listed.ts';
import { ALL, type Filters, pickListed, SORTS } from '../lib/market-picks.ts';
import { usePage } from '../state/page-context.ts';
import type { Remote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useCategories } from '../state/use-categories.ts';
import { useTitle } from '../state/use-title.ts';
import { useWatchlist } from '../state/watchlist.ts';
import { categoryIcon } from '../ui/category-tile.tsx';
import { Button, Segments, Select } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { EventCard } from './event-card.tsx';
import { Intro } from './intro.tsx';
import { MarketCard } from './market-card.tsx';
import { QuickCards } from './quick-cards.tsx';

/** Cards shown at a time: thousands at once would take seconds to draw. */
const PAGE = 60;

interface LandingProps {
  readonly markets: Remote<readonly Market[]>;
  readonly listed: readonly Listed[];
}

export function LandingScreen({ markets, listed }: LandingProps) {
  useTitle('Markets');
  return (
    <main id="main" tabIndex={-1} className="page" data-screen="landing">
      <Intro />
      <QuickCards markets={markets.value ?? []} />
      <AllMarkets markets={markets} listed={listed} />
    </main>
  );
}

function AllMarkets({ markets, listed }: LandingProps) {
  const [query, setQuery] = useState<Filters>({ category: 'all', sort: 'volume', isWatched: false });
  const [pages, setPages] = useState(1);
  const open = listed.filter(({ kind, status }) => kind === 'standard' && status === 'open').length;
  const change = (part: Partial<Filters>) => {
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
      {/* The bar's search has no room on narrow screens. */}
      <div className="page-search">
        <Icon name="search" />
        <SearchInput label="Search all markets" testId="page-search" className="input" />
      </div>
      <MarketFilters query={query} onChange={change} />
      {markets.state === 'loading' && <Skeleton rows={20} rowHeight={40} />}
      {markets.state === 'error' && <Failed what="The list of markets" of={markets} />}
      {markets.value && (
        <Cards listed={listed} query={query} most={pages * PAGE} onMore={() => setPages((count) => count + 1)} />
      )}
    </>
  );
}

interface CardsProps {
  readonly listed: readonly Listed[];
  readonly query: Filters;
  readonly most: number;
  readonly onMore: () => void;
}

function Cards({ listed, query, most, onMore }: CardsProps) {
  const watchlist = useWatchlist();
  const search = useDeferredValue(useWatched(usePage().search));
  const picked = useMemo(() => pickListed(listed, { ...query, search }, watchlist), [listed, query, search, watchlist]);
  const isEmpty = picked.length === 0;
  const emptyText =
    query.isWatched && watchlist.size === 0
      ? 'You watch no market yet. The star on a card adds it here.'
      : 'No market fits. Clear the search, or pick another category.';
  return (
    <>
      <section
        className="cards"
        aria-label="All markets"
        data-testid="market-list"
        data-state={isEmpty ? 'empty' : 'ready'}
        data-rows=""
      >
        {picked
          .slice(0, most)
          .map((each) =>
            isEvent(each) ? <EventCard key={each.id} event={each} /> : <MarketCard key={each.id} market={each} />,
          )}
        {isEmpty && <Empty icon="search" text={emptyText} />}
      </section>
      {most < picked.length && (
        <p className="more-cards">
          <Button look="line" testId="more-markets" onClick={onMore}>
            Show more: {most} of {picked.length}
          </Button>
        </p>
      )}
    </>
  );
}

interface FiltersProps {
  readonly query: Filters;
  readonly onChange: (part: Partial<Filters>) => void;
}

function MarketFilters({ query, onChange }: FiltersProps) {
  const sort = { value: query.sort, options: SORTS, onPick: (value: Filters['sort']) => onChange({ sort: value }) };
  const categories = [{ id: ALL, name: 'All' }, ...useCategories()];
  return (
    <div className="filters">
      <fieldset className="chips">
        <legend className="sr">Category</legend>
        <Button
          className="chip"
          testId="watched-only"
          aria-pressed={query.isWatched}
          onClick={() => onChange({ isWatched: !query.isWatched })}
        >
          <Icon name="star" />
          Watching
        </Button>
        {categories.map(({ id, name }) => (
          <Button
            key={id}
            className="chip"
            aria-pressed={query.category === id}
            onClick={() => onChange({ category: id })}
          >
            {id !== ALL && <Icon name={categoryIcon(id)} />}
            {name}
          </Button>
        ))}
      </fieldset>
      <div className="phone-only sort-pick">
        <Select aria-label="Sort" data-testid="sort" {...sort} />
      </div>
      <Segments legend="Sort" className="seg wide-only" {...sort} />
    </div>
  );
}
