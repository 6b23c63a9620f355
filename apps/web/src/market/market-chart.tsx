// The chart of a market: the chance of YES over time, and the depth of the book.
import { useMemo, useState } from 'react';
import { inYesTerms } from '../lib/chance.ts';
import { type ChartRange, joinTrades, RANGES, toLine } from '../lib/chance-line.ts';
import { percent, roundedCents } from '../lib/format.ts';
import type { ChartPoint } from '../lib/line-chart.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { usePart, useWatched } from '../state/store.ts';
import { useChance } from '../state/use-chance.ts';
import { Segments } from '../ui/controls.tsx';
import { Empty, Failed } from '../ui/states.tsx';
import { ChartFrame } from './chart-frame.tsx';
import { DepthChart } from './depth-chart.tsx';
import { usePosition } from './use-position.ts';

const DAY = RANGES[1]!;
const ALL = RANGES.at(-1)!;
type View = 'chance' | 'depth';
const VIEWS = [
  { value: 'chance', text: 'Chance' },
  { value: 'depth', text: 'Depth' },
] as const;

export function MarketChart({ feed }: { readonly feed: MarketFeed }) {
  const { clock } = usePage();
  const [picked, setRange] = useState<ChartRange>();
  // A market of today has no day to show.
  const isYoung = usePart(
    feed.facts,
    ({ market }) => market !== undefined && clock.nowMs() / 1_000 - market.createdAt < 86_400,
  );
  const range = picked ?? (isYoung ? ALL : DAY);
  const [view, setView] = useState<View>('chance');
  const pick = (name: string) => {
    setRange(RANGES.find((each) => each.name === name));
    setView('chance');
  };
  return (
    <section className="panel" aria-label="Price history">
      <div className="chart-bar">
        <Segments
          legend="Range"
          options={RANGES.map(({ name }) => ({ value: name, text: name }))}
          value={view === 'chance' ? range.name : undefined}
          onPick={pick}
        />
        <Segments<View> legend="Chart" options={VIEWS} value={view} onPick={setView} />
      </div>
      {view === 'depth' ? <DepthChart feed={feed} /> : <ChanceChart feed={feed} range={range} />}
    </section>
  );
}

function ChanceChart({ feed, range }: { readonly feed: MarketFeed; readonly range: ChartRange }) {
  const { reader, clock } = usePage();
  const candles = useRemote(`candles ${feed.marketId} ${range.interval}`, (signal) =>
    reader.getCandles(feed.marketId, { outcome: 'YES', interval: range.interval, fold: 'both' }, { signal }),
  );
  const trades = useWatched(feed.trades);
  const chance = useChance(feed);
  const minute = usePart(clock.seconds, (seconds) => seconds - (seconds % 60) + 60);
  const points = useMemo(() => {
    const past = (candles.value?.candles ?? []).map(({ time, close }) => ({ time, value: Number(close) }));
    const fresh = (trades ?? []).map((trade) => ({ time: trade.timestamp, value: inYesTerms(trade) })).reverse();
    const known = joinTrades(past, fresh);
    // The line ends where the page says the chance is.
    const last = chance === undefined || known.length === 0 ? [] : [{ time: minute, value: chance }];
    return toLine([...known, ...last], range, minute);
  }, [candles.value, trades, range, minute, chance]);
  const average = useAverage(feed.marketId);
  if (candles.state === 'error') {
    return (
      <div className="chart">
        <Failed what="The price history" of={candles} />
      </div>
    );
  }
  if (candles.state === 'ready' && points.length === 0) {
    return (
      <div className="chart" data-testid="price-chart" data-state="empty">
        <Empty icon="clock" text="No trade yet, so there is no history. An order that meets another one begins it." />
      </div>
    );
  }
  const mark =
    average === undefined
      ? undefined
      : ({ value: average, title: `Your average ${roundedCents(average)}`, tone: '--accent' } as const);
  return (
    <ChartFrame
      points={points}
      label={describe(points)}
      formatValue={percent}
      smallestStep={10_000}
      leastRange={100_000}
      mark={mark}
    />
  );
}

/** What the wallet paid for its YES; none while it holds none. */
function useAverage(marketId: string): number | undefined {
  const holding = usePosition(marketId);
  if (holding === undefined || holding.yesShares === 0n) return undefined;
  return Number((holding.yesCost * 1_000_000n) / holding.yesShares);
}

function describe(points: readonly ChartPoint[]): string {
  const values = points.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return 'Chance of YES over time: loading';
  const range = `low ${percent(Math.min(...values))}, high ${percent(Math.max(...values))}`;
  return `Chance of YES over time. Started at ${percent(first)}, ${range}, now ${percent(last)}.`;
}
