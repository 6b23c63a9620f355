// The depth chart: the money within 15 cents of the mid, with the totals up to the pointer.
import type { BookEvent } from '@presage/sdk';
import { type PointerEvent, useState } from 'react';
import { type Depth, type DepthStep, depthOf, reachedBy } from '../lib/depth.ts';
import { cents, money, shares } from '../lib/format.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { Empty, Skeleton } from '../ui/states.tsx';

const [WIDTH, HEIGHT] = [1_000, 300];

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
  return <DepthPlot book={book} outcome={outcome} />;
}

function DepthPlot({ book, outcome }: { readonly book: BookEvent; readonly outcome: string }) {
  const [pointed, setPointed] = useState<number>();
  const depth = depthOf(book);
  const { bids, asks, low, high, mid } = depth;
  const highest = Math.max(Number(bids.at(-1)?.total ?? 0n), Number(asks.at(-1)?.total ?? 0n));
  const x = (price: number) => ((price - low) / (high - low)) * WIDTH;
  const y = (total: bigint) => HEIGHT - (Number(total) / Math.max(1, highest)) * (HEIGHT - 10);
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setPointed(low + ((event.clientX - box.left) / box.width) * (high - low));
  };
  /** SVG path along the steps, from the best price out to the edge of the chart. */
  const path = (steps: readonly DepthStep[], edge: number) => {
    const first = steps[0];
    if (first === undefined) return '';
    const stairs = steps.map(({ price, total }) => `H${x(price).toFixed(1)}V${y(total).toFixed(1)}`).join('');
    return `M${x(first.price).toFixed(1)} ${HEIGHT}${stairs}H${edge}V${HEIGHT}Z`;
  };
  const reached = pointed === undefined ? undefined : reachedBy(depth, pointed);
  return (
    <div className="chart depth" data-testid="depth" data-low={low} data-high={high}>
      <div className="depth-plot" onPointerMove={onPointerMove} onPointerLeave={() => setPointed(undefined)}>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describe(depth, outcome)}
        >
          <path className="depth-bids" d={path(bids, 0)} />
          <path className="depth-asks" d={path(asks, WIDTH)} />
          {pointed !== undefined && <path className="depth-at" d={`M${x(pointed).toFixed(1)} 0V${HEIGHT}`} />}
        </svg>
        {reached && (
          <p className="depth-tip" data-testid="depth-tip" aria-hidden="true">
            <b>
              {reached.side === 'asks' ? 'Buy up to' : 'Sell down to'} {cents(reached.price)}
            </b>
            {shares(reached.size)} shares, {money(reached.total)}
          </p>
        )}
      </div>
      <div className="depth-scale" aria-hidden="true">
        <span>{cents(low)}</span>
        <span>{cents(mid)}</span>
        <span>{cents(high)}</span>
      </div>
    </div>
  );
}

function describe({ bids, asks }: Depth, outcome: string): string {
  const part = (steps: readonly DepthStep[], word: string) => {
    const [best, last] = [steps[0], steps.at(-1)];
    if (best === undefined || last === undefined) return `no ${word}`;
    return `${money(last.total)} of ${word} from ${cents(best.price)} to ${cents(last.price)}`;
  };
  return `Depth of ${outcome} within 15 cents of the mid: ${part(bids, 'bids')}, ${part(asks, 'asks')}.`;
}
