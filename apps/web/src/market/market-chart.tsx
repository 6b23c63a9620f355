// The chart of a market: the chance of YES over time, and the depth of the book.
import type { Market, Trade } from '@presage/sdk';
import { useEffect, useMemo, useState } from 'react';
import { inYesTerms } from '../lib/chance.ts';
import { type ChartRange, historyOf, intervalFor, mergePoints, RANGES, toLine, withSeen } from '../lib/chance-line.ts';
import { percent, plural, roundedCents } from '../lib/format.ts';
import type { ChartFill, ChartPoint, Point } from '../lib/line-chart.ts';
import { voidPrice } from '../lib/outcomes.ts';
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
  // A market less than a day old has no full day to show.
  const isYoung = usePart(
    feed.facts,
    ({ market }) => market !== undefined && clock.nowMs() / 1_000 - market.createdAt < 86_400,
  );
  const isOver = usePart(feed.facts, ({ market }) => market !== undefined && decidedChance(market) !== undefined);
  const range = picked ?? (isYoung || isOver ? ALL : DAY);
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
  const market = usePart(feed.facts, (facts) => facts.market);
  const age = market === undefined ? Infinity : clock.nowMs() / 1_000 - market.createdAt;
  const interval = intervalFor(range, age);
  const candles = useRemote(market === undefined ? '' : `candles ${feed.marketId} ${interval}`, (signal) =>
    reader.getCandles(feed.marketId, { outcome: 'YES', interval, fold: 'both' }, { signal }),
  );
  const trades = useWatched(feed.trades);
  const seen = useSeenChances(feed);
  const end = useChartEnd(market);
  const points = useMemo(() => {
    const past = (candles.value?.candles ?? []).map(({ time, close }) => ({ time, close: Number(close) }));
    const known = (trades ?? []).map((trade) => ({ time: trade.timestamp, value: inYesTerms(trade) })).reverse();
    const history = historyOf(past, known, interval);
    const outcome = market && decidedChance(market);
    const last = outcome === undefined ? seen : [{ time: end, value: outcome }];
    return toLine(mergePoints(history, history.length === 0 && outcome !== undefined ? [] : last), range, end);
  }, [candles.value, trades, range, interval, end, seen, market]);
  const own = useOwnMarks(feed, points);
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
        <Empty icon="clock" text="No trade and no quote yet, so there is no history." />
      </div>
    );
  }
  return (
    <ChartFrame
      points={points}
      label={describe(points)}
      formatValue={axisPercent}
      smallestStep={10_000}
      leastRange={100_000}
      {...own}
    />
  );
}

/** Label of the value axis, which may have half percents between whole ones. */
export function axisPercent(value: number): string {
  return `${Number((value / 10_000).toFixed(1))}%`;
}

/** Like `percent`, but shows 0% and 100%, which a decided market reaches. */
function exactPercent(value: number): string {
  return value <= 0 ? '0%' : value >= 1_000_000 ? '100%' : percent(value);
}

function decidedChance(market: Market): number | undefined {
  if (market.status === 'void') return Number(voidPrice(market.id));
  return market.status === 'resolved' ? (market.winningOutcome === 0 ? 1_000_000 : 0) : undefined;
}

/** End of the chart: the next full minute, or the end of a decided market. */
function useChartEnd(market: Market | undefined): number {
  const minute = usePart(usePage().clock.seconds, (seconds) => seconds - (seconds % 60) + 60);
  return market !== undefined && decidedChance(market) !== undefined
    ? Math.min(minute, Number(market.expiration))
    : minute;
}

const NOTHING_SEEN: readonly Point[] = [];
/** Chances that this page has seen in each market. The service keeps only trades, and drawn points must not disappear. */
const seenChances = new WeakMap<MarketFeed, readonly Point[]>();

function useSeenChances(feed: MarketFeed): readonly Point[] {
  const { clock } = usePage();
  const chance = useChance(feed);
  const newest = usePart(feed.trades, (trades) => trades?.[0]?.id);
  const [seen, setSeen] = useState(seenChances.get(feed) ?? NOTHING_SEEN);
  // Runs after each trade too: the chance at that moment may differ from the trade's price.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each trade adds a point.
  useEffect(() => {
    if (chance === undefined) return;
    const point = { time: Math.floor(clock.nowMs() / 1_000), value: chance };
    const known = withSeen(seenChances.get(feed) ?? NOTHING_SEEN, point);
    seenChances.set(feed, known);
    setSeen(known);
  }, [feed, clock, chance, newest]);
  return seen;
}

/** The wallet's average price, open orders and fills as marks of the chart, with their legend. */
function useOwnMarks(feed: MarketFeed, points: readonly ChartPoint[]) {
  const { account } = usePage();
  const { wallet, orders } = useWatched(account.state);
  const trades = useWatched(feed.trades);
  const average = useAverage(feed.marketId);
  const address = wallet?.address.toLowerCase();
  return useMemo(() => {
    const own = (orders ?? []).filter(({ marketId }) => marketId === feed.marketId);
    const fills = (trades ?? []).flatMap((trade) => toFill(trade, address, points));
    const texts = [
      ...(average === undefined ? [] : [`Your average ${roundedCents(average)}`]),
      ...(own.length === 0 ? [] : [plural(own.length, 'open order')]),
      ...(fills.length === 0 ? [] : [plural(fills.length, 'fill')]),
    ];
    return {
      marks: [
        ...(average === undefined ? [] : [{ value: average, isHeld: true }]),
        ...own.map(({ outcome, price }) => ({ value: inYesTerms({ outcome, price: BigInt(price) }), isHeld: false })),
      ],
      fills: fills.sort((a, b) => a.time - b.time),
      legend: texts.length === 0 ? undefined : texts.join(', '),
    };
  }, [orders, trades, average, address, feed, points]);
}

/** The wallet's fill, at the next point of the line; none before the line begins or if the trade is not the wallet's. */
function toFill(trade: Trade, address: string | undefined, points: readonly ChartPoint[]): ChartFill[] {
  const isBuy = trade.buyer.toLowerCase() === address;
  if (address === undefined || (!isBuy && trade.seller.toLowerCase() !== address)) return [];
  const at = points.find(({ time, value }) => time >= trade.timestamp && value !== undefined);
  const isInRange = at !== undefined && (points[0]?.time ?? 0) <= trade.timestamp + 60;
  return isInRange ? [{ time: at.time, value: inYesTerms(trade), isBuy }] : [];
}

/** Average price that the wallet paid for its YES shares; undefined if it holds none. */
function useAverage(marketId: string): number | undefined {
  const holding = usePosition(marketId);
  if (holding === undefined || holding.yesShares === 0n) return undefined;
  return Number((holding.yesCost * 1_000_000n) / holding.yesShares);
}

function describe(points: readonly ChartPoint[]): string {
  const values = points.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return 'Chance of YES over time: loading';
  const range = `low ${exactPercent(Math.min(...values))}, high ${exactPercent(Math.max(...values))}`;
  return `Chance of YES over time. Started at ${exactPercent(first)}, ${range}, now ${exactPercent(last)}.`;
}
