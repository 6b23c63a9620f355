// The list of markets: quick markets on top, then all others, searched, filtered and sorted; long lists render only the visible rows.
import type { Market } from '@presage/sdk';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from '../app/router.tsx';
import { compactMoney, percent } from '../lib/format.ts';
import { CATEGORIES, type MarketListQuery, pickMarkets, SORTS } from '../lib/market-picks.ts';
import { closing } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Empty, Failed, Skeleton } from './states.tsx';
import { VirtualRows } from './virtual-rows.tsx';

interface ListProps {
  readonly markets: Remote<readonly Market[]>;
  /** The current path. */
  readonly current: string;
  readonly onPick?: () => void;
}

const ROW_HEIGHT = 76;
const QUICK_ROW_HEIGHT = 58;
const QUICK_BEAT_MS = 5_000;

export function MarketListPanel({ markets, current, onPick }: ListProps) {
  const [query, setQuery] = useState<MarketListQuery>({ search: '', category: 'all', sort: 'volume' });
  const change = (part: Partial<MarketListQuery>) => setQuery((before) => ({ ...before, ...part }));
  return (
    <section className="g-list" aria-labelledby="h-list">
      <div className="pad list-head">
        <h2 id="h-list">Markets</h2>
        <input
          type="search"
          className="search"
          placeholder="Search ( / )"
          aria-label="Search markets"
          data-testid="search"
          value={query.search}
          onChange={(event) => change({ search: event.target.value })}
        />
        <div className="chips">
          {CATEGORIES.map((category) => (
            <button
              key={category}
              type="button"
              className="btn chip"
              aria-pressed={query.category === category}
              onClick={() => change({ category })}
            >
              {category}
            </button>
          ))}
        </div>
        <label className="split muted">
          Sort by
          <select
            value={query.sort}
            onChange={(event) => change({ sort: event.target.value as MarketListQuery['sort'] })}
          >
            {SORTS.map(({ key, text }) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <MarketRows markets={markets} query={query} current={current} onPick={onPick} />
    </section>
  );
}

function MarketRows({
  markets,
  query,
  current,
  onPick,
}: Omit<ListProps, 'onPick'> & { readonly query: MarketListQuery; readonly onPick: (() => void) | undefined }) {
  const search = useDeferredValue(query.search);
  const assets = useConfig().quickMarkets.assets;
  const picked = useMemo(() => pickMarkets(markets.value ?? [], { ...query, search }), [markets.value, query, search]);
  if (markets.state === 'loading') return <Skeleton rows={6} rowHeight={ROW_HEIGHT} />;
  if (markets.state === 'error')
    return <Failed what="The list of markets" failure={markets.failure} onRetry={markets.reload} />;
  return (
    <div data-testid="market-list" data-state={picked.length === 0 ? 'empty' : 'ready'} data-rows="">
      {search === '' && query.category === 'all' && (
        <QuickRows assets={assets} markets={markets.value ?? []} current={current} onPick={onPick} />
      )}
      {picked.length === 0 ? (
        <Empty text="No market fits. Clear the search, or pick another category." />
      ) : (
        <VirtualRows items={picked} rowHeight={ROW_HEIGHT} keyOf={({ id }) => id} label="Markets">
          {(market) => <MarketRow market={market} isCurrent={current === `/m/${market.id}`} onPick={onPick} />}
        </VirtualRows>
      )}
    </div>
  );
}

interface QuickRowsProps {
  readonly assets: readonly string[];
  readonly markets: readonly Market[];
  readonly current: string;
  readonly onPick: (() => void) | undefined;
}

function QuickRows({ assets, ...rest }: QuickRowsProps) {
  if (assets.length === 0) return null;
  return (
    <ul className="list pinned" aria-label="Quick markets">
      {assets.map((asset) => (
        <li key={asset} style={{ height: QUICK_ROW_HEIGHT }}>
          <QuickRow asset={asset} {...rest} />
        </li>
      ))}
    </ul>
  );
}

function QuickRow({ asset, markets, current, onPick }: Omit<QuickRowsProps, 'assets'> & { readonly asset: string }) {
  const { reader, clock } = usePage();
  const nowSeconds = useWatched(clock.seconds);
  const quick = useRemote(`quick ${asset}`, (signal) => reader.getQuickMarket(asset, { signal }), {
    everyMs: QUICK_BEAT_MS,
  });
  const window = quick.value?.quickMarket;
  const market = markets.find(({ id }) => id === window?.marketId);
  const isCurrent = current.toLowerCase() === `/quick/${asset.toLowerCase()}`;
  return (
    <Link href={`/quick/${asset}`} data-row="" aria-current={isCurrent ? 'page' : undefined} onClick={onPick}>
      <span>{asset} up or down, 15 minutes</span>
      <b className="accent">{market ? chanceText(market) : '–'}</b>
      <span className="muted">{window ? closing(window.endTime, nowSeconds) : 'opens soon'}</span>
      <span className="muted">{market ? compactMoney(market.volume) : ''}</span>
    </Link>
  );
}

function chanceText(market: Market): string {
  const chance = Number(market.lastYesPrice) || Number(market.bestAskPrice);
  return chance === 0 ? '–' : percent(chance);
}

function MarketRow({
  market,
  isCurrent,
  onPick,
}: {
  readonly market: Market;
  readonly isCurrent: boolean;
  readonly onPick: (() => void) | undefined;
}) {
  const nowSeconds = useWatched(usePage().clock.seconds);
  return (
    <Link href={`/m/${market.id}`} data-row="" aria-current={isCurrent ? 'page' : undefined} onClick={onPick}>
      <span className="question">{market.question}</span>
      <b>{chanceText(market)}</b>
      <span className="muted">{closing(Number(market.expiration), nowSeconds)}</span>
      <span className="muted">{compactMoney(market.volume)}</span>
    </Link>
  );
}
