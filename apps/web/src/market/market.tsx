// The market screen: one market, chosen by its address and by nothing else, with a list of the others where there is room.
import type { Market } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { percent } from '../lib/format.ts';
import { pickMarkets } from '../lib/market-picks.ts';
import { isDecided } from '../lib/portfolio.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { useMedia } from '../state/preferences.ts';
import type { Remote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useMarketFeed } from '../state/use-market-feed.ts';
import { Failed } from '../ui/states.tsx';
import { MarketChart } from './market-chart.tsx';
import { MarketColumns } from './market-columns.tsx';
import { MarketHeader } from './market-header.tsx';
import { ResolvedColumns } from './resolved.tsx';
import { useAskedSide } from './use-asked-side.ts';

interface MarketScreenProps {
  readonly marketId: string;
  readonly markets: Remote<readonly Market[]>;
}

export function MarketScreen({ marketId, markets }: MarketScreenProps) {
  const feed = useMarketFeed(marketId);
  const hasList = useMedia(HUGE);
  useAskedSide(marketId);
  return (
    <main id="main" tabIndex={-1} className={hasList ? 'terminal has-list' : 'terminal'} data-screen="market">
      {hasList && <MarketList markets={markets.value ?? []} currentId={marketId} />}
      <Columns feed={feed} />
    </main>
  );
}

function Columns({ feed }: { readonly feed: MarketFeed }) {
  const { market, failure } = useWatched(feed.facts);
  if (market === undefined && failure !== undefined) {
    return (
      <section className="panel" aria-label="Market">
        <Failed what="The market" of={{ failure, reload: () => void feed.reload() }} />
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

/** From here there is room for it. */
const HUGE = '(min-width: 1680px)';
/** More than anybody scrolls through; the landing page has them all. */
const MOST = 100;
const MOST_TRADED = { search: '', category: 'all', sort: 'volume', isWatched: false } as const;
const NOBODY: ReadonlySet<string> = new Set();

function MarketList({ markets, currentId }: { readonly markets: readonly Market[]; readonly currentId: string }) {
  const open = pickMarkets(markets, MOST_TRADED, NOBODY).filter(
    ({ status, id }) => status === 'open' || id === currentId,
  );
  return (
    <nav className="col market-list" aria-label="Other markets" data-testid="market-list">
      <ul className="panel">
        {open.slice(0, MOST).map(({ id, question, chance }) => (
          <li key={id}>
            <Link href={`/m/${id}`} aria-current={id === currentId ? 'page' : undefined} data-row="">
              <span className="grow" title={question}>
                {question}
              </span>
              <b>{chance === null ? '–' : percent(chance)}</b>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
