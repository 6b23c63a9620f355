// The other markets beside the one that is open, where the window is wide enough for a list.
import type { Market } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { percent } from '../lib/format.ts';
import { pickMarkets } from '../lib/market-picks.ts';

/** From here there is room for it. */
export const HUGE = '(min-width: 1680px)';
/** More than anybody scrolls through; the landing page has them all. */
const MOST = 100;
const MOST_TRADED = { search: '', category: 'all', sort: 'volume', isWatched: false } as const;
const NOBODY: ReadonlySet<string> = new Set();

interface MarketListProps {
  readonly markets: readonly Market[];
  readonly currentId: string;
}

export function MarketList({ markets, currentId }: MarketListProps) {
  const open = pickMarkets(markets, MOST_TRADED, NOBODY).filter(
    ({ status, id }) => status === 'open' || id === currentId,
  );
  return (
    <nav className="col market-list" aria-label="Other markets" data-testid="market-list">
      <ul className="panel">
        {open.slice(0, MOST).map(({ id, question, chance }) => (
          <li key={id}>
            <Link href={`/m/${id}`} aria-current={id === currentId ? 'page' : undefined} data-row="">
              <span className="grow">{question}</span>
              <b>{chance === null ? '–' : percent(chance)}</b>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
