// The market screen: one market, chosen only by the page's address, with a list of other markets on wide screens.
import { useEffect } from 'react';
import { Link } from '../app/router.tsx';
import { chanceText, hrefOf, type Listed } from '../lib/listed.ts';
import { pickListed } from '../lib/market-picks.ts';
import { isDecided } from '../lib/portfolio.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useMedia } from '../state/preferences.ts';
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
  readonly listed: readonly Listed[];
}

export function MarketScreen({ marketId, listed }: MarketScreenProps) {
  const feed = useMarketFeed(marketId);
  const hasList = useMedia(HUGE);
  const { ticket } = usePage();
  useEffect(() => () => ticket.leave(), [ticket]);
  useAskedSide(marketId);
  return (
    <main id="main" tabIndex={-1} className={hasList ? 'terminal has-list' : 'terminal'} data-screen="market">
      {hasList && <MarketList listed={listed} currentId={marketId} />}
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

/** Width from which the list of other markets is shown. */
export const HUGE = '(min-width: 1680px)';
/** Most entries of the list, more than anybody scrolls through; the landing page has all of them. */
const MOST = 100;
const MOST_TRADED = { search: '', category: 'all', sort: 'volume', isWatched: false } as const;
const NOBODY: ReadonlySet<string> = new Set();

/** `currentId` is the id of the open market or event. */
export function MarketList({ listed, currentId }: { readonly listed: readonly Listed[]; readonly currentId: string }) {
  const open = pickListed(listed, MOST_TRADED, NOBODY).filter(
    ({ status, id }) => status === 'open' || id === currentId,
  );
  return (
    <nav className="col market-list" aria-label="Other markets" data-testid="market-list">
      <ul className="panel">
        {open.slice(0, MOST).map((each) => (
          <li key={each.id}>
            <Link href={hrefOf(each)} aria-current={each.id === currentId ? 'page' : undefined} data-row="">
              <span className="grow" title={each.question}>
                {each.question}
              </span>
              <b>{chanceText(each)}</b>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
