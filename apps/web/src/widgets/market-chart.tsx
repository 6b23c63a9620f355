// The chart of a market: the probability of YES over time, and the depth of the book.
import type { CandleInterval } from '@presage/sdk';
import { useMemo, useState } from 'react';
import { roundedCents } from '../lib/format.ts';
import type { Point } from '../lib/line-chart.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { ChartFrame } from './chart-frame.tsx';
import { DepthChart } from './depth-chart.tsx';
import { Empty, Failed } from './states.tsx';

const INTERVALS: readonly CandleInterval[] = ['1m', '5m', '1h', '1d'];
const SECONDS: Readonly<Record<string, number>> = { '1m': 60, '5m': 300, '1h': 3_600, '1d': 86_400 };
type View = CandleInterval | 'depth';

export function MarketChart({ feed }: { readonly feed: MarketFeed }) {
  const [view, setView] = useState<View>('1m');
  return (
    <div className="chart-block">
      <fieldset className="chart-bar mini-seg">
        <legend className="skip">Chart</legend>
        {[...INTERVALS, 'depth' as const].map((each) => (
          <button key={each} type="button" aria-pressed={each === view} onClick={() => setView(each)}>
            {each === 'depth' ? 'Depth' : each}
          </button>
        ))}
      </fieldset>
      {view === 'depth' ? <DepthChart feed={feed} /> : <PriceHistoryChart feed={feed} interval={view} />}
    </div>
  );
}

function PriceHistoryChart({ feed, interval }: { readonly feed: MarketFeed; readonly interval: CandleInterval }) {
  const { reader } = usePage();
  const candles = useRemote(`candles ${feed.marketId} ${interval}`, (signal) =>
    reader.getCandles(feed.marketId, { outcome: 'YES', interval }, { signal }),
  );
  const trades = useWatched(feed.trades);
  const points = useMemo(() => {
    const past = (candles.value?.candles ?? []).map(({ time, close }) => ({ time, value: Number(close) }));
    const fresh = (trades ?? [])
      .filter(({ outcome }) => outcome === 0)
      .map(({ timestamp, price }) => ({ time: timestamp, value: Number(price) }));
    return mergePoints(past, fresh.reverse(), SECONDS[interval] ?? 60);
  }, [candles.value, trades, interval]);
  if (candles.state === 'error') {
    return (
      <div className="chart">
        <Failed what="The price history" failure={candles.failure} onRetry={candles.reload} />
      </div>
    );
  }
  if (candles.state === 'ready' && points.length === 0) {
    return (
      <div className="chart" data-testid="price-chart" data-state="empty">
        <Empty text="No trade of YES yet, so there is no history. An order that meets another one begins it." />
      </div>
    );
  }
  return <ChartFrame points={points} label={describe(points)} formatValue={roundedCents} smallestStep={1_000} />;
}

/** Trades after the last read candle extend the line, one point per interval. */
function mergePoints(past: readonly Point[], fresh: readonly Point[], step: number): Point[] {
  const points = new Map(past.map((point) => [point.time, point]));
  const lastTime = past.at(-1)?.time ?? 0;
  for (const { time, value } of fresh) {
    const slot = time - (time % step);
    if (slot >= lastTime) points.set(slot, { time: slot, value });
  }
  return [...points.values()].sort((a, b) => a.time - b.time);
}

function describe(points: readonly Point[]): string {
  const values = points.map(({ value }) => value);
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return 'Price of YES over time: loading';
  const range = `low ${roundedCents(Math.min(...values))}, high ${roundedCents(Math.max(...values))}`;
  return `Price of YES over time. Started at ${roundedCents(first)}, ${range}, now ${roundedCents(last)}.`;
}
