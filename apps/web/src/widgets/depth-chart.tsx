// The depth chart: how much money is on either side of the price.
import type { BookEvent, BookLevel } from '@presage/sdk';
import { topOf, worthOf } from '../lib/book-view.ts';
import { cents, money } from '../lib/format.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { Empty, Skeleton } from './states.tsx';

const [WIDTH, HEIGHT, SCALE] = [1_000, 300, 1_000_000];

export function DepthChart({ feed }: { readonly feed: MarketFeed }) {
  const outcome = usePart(usePage().ticket.ticket, (ticket) => ticket.outcome);
  const book = usePart(feed.books, (books) => books[outcome]);
  if (book === undefined) return <Skeleton rows={10} rowHeight={30} />;
  if (book.bids.length + book.asks.length === 0) {
    return (
      <div className="chart">
        <Empty text={`The book of ${outcome} is empty: there is no depth to draw.`} />
      </div>
    );
  }
  const [bids, asks] = [totals(book.bids), totals(book.asks)];
  const highest = Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0);
  return (
    <div className="chart depth">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(book, outcome)}
      >
        <path className="depth-bids" d={toPath(bids, highest, 0)} />
        <path className="depth-asks" d={toPath(asks, highest, WIDTH)} />
      </svg>
      <div className="depth-scale muted" aria-hidden="true">
        <span>0¢</span>
        <span>50¢</span>
        <span>100¢</span>
      </div>
    </div>
  );
}

interface Step {
  readonly price: number;
  readonly total: number;
}

function totals(levels: readonly BookLevel[]): Step[] {
  let total = 0;
  return levels.map((level) => {
    total += Number(worthOf(level));
    return { price: level.price, total };
  });
}

/** Steps from the best price out to the edge of the chart. */
function toPath(steps: readonly Step[], highest: number, edge: number): string {
  const first = steps[0];
  if (first === undefined) return '';
  const x = (price: number) => ((price / SCALE) * WIDTH).toFixed(1);
  const y = (total: number) => (HEIGHT - (total / highest) * (HEIGHT - 10)).toFixed(1);
  const stairs = steps.map(({ price, total }) => `H${x(price)}V${y(total)}`).join('');
  return `M${x(first.price)} ${HEIGHT}${stairs}H${edge}V${HEIGHT}Z`;
}

function describe(book: BookEvent, outcome: string): string {
  const { bid, ask } = topOf(book);
  const sum = (levels: readonly BookLevel[]) => money(levels.reduce((total, level) => total + worthOf(level), 0n));
  const best = (price: number | undefined) => (price === undefined ? 'none' : cents(price));
  return `Depth of ${outcome}: ${sum(book.bids)} of bids up to ${best(bid)}, ${sum(book.asks)} of offers from ${best(ask)}.`;
}
