// The chances of an event's most likely outcomes over time, as lines of one chart.
import type { EventOutcome, MarketEvent } from '@presage/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type ChartRange, historyOf, intervalFor, mergePoints, RANGES, toLine } from '../lib/chance-line.ts';
import { percent } from '../lib/format.ts';
import type { ChartLine, LinesChart } from '../lib/lines-chart.ts';
import { axisPercent } from '../market/market-chart.tsx';
import { usePage } from '../state/page-context.ts';
import { usePreferences } from '../state/preferences.ts';
import { useRemote } from '../state/remote.ts';
import { usePart } from '../state/store.ts';
import { Segments } from '../ui/controls.tsx';
import { Empty, Failed } from '../ui/states.tsx';

/** Colour tokens that differ from each other and from the background in both themes; none is the green or red of YES and NO. */
export const LINE_COLOURS = ['--accent', '--cat-general', '--cat-protocol', '--cat-stable', '--text-3'] as const;
const DASHES = ['solid', 'dashed', 'solid', 'dotted', 'dashed'] as const;
const DAY = RANGES[1]!;
const ALL = RANGES.at(-1)!;

interface EventChartProps {
  readonly event: MarketEvent;
  /** Outcomes to draw; at most as many as there are colours. */
  readonly outcomes: readonly EventOutcome[];
  readonly chosen: number;
}

export function EventChart({ event, outcomes, chosen }: EventChartProps) {
  const { clock } = usePage();
  const [picked, setRange] = useState<ChartRange>();
  const isYoung = clock.nowMs() / 1_000 - event.createdAt < 86_400;
  const range = picked ?? (isYoung || event.resolved ? ALL : DAY);
  return (
    <section className="panel" aria-label="Chances over time">
      <div className="chart-bar">
        <Segments
          legend="Range"
          options={RANGES.map(({ name }) => ({ value: name, text: name }))}
          value={range.name}
          onPick={(name) => setRange(RANGES.find((each) => each.name === name))}
        />
      </div>
      <Lines event={event} outcomes={outcomes} chosen={chosen} range={range} />
    </section>
  );
}

function Lines({ event, outcomes, chosen, range }: EventChartProps & { readonly range: ChartRange }) {
  const { reader, clock } = usePage();
  const minute = usePart(clock.seconds, (seconds) => seconds - (seconds % 60) + 60);
  const end = event.resolved ? Math.min(minute, Number(event.expiration)) : minute;
  const interval = intervalFor(range, clock.nowMs() / 1_000 - event.createdAt);
  const ids = outcomes.map(({ marketId }) => marketId);
  const query = { outcome: 'YES', interval, fold: 'both' } as const;
  const candles = useRemote(`lines ${ids.join()} ${interval} ${end}`, (signal) =>
    Promise.all(ids.map(async (id) => (await reader.getCandles(id, query, { signal })).candles)),
  );
  const known = useKept(candles.value);
  const lines = useMemo(() => {
    const histories = outcomes.map(({ chance }, at) => {
      const past = (known?.[at] ?? []).map(({ time, close }) => ({ time, close: Number(close) }));
      const now = chance === null ? [] : [{ time: end - 60, value: Number(chance) }];
      return mergePoints(historyOf(past, [], interval), now);
    });
    // All lines share one time grid, which starts at the earliest point.
    const first = Math.min(...histories.flatMap((points) => points.slice(0, 1).map(({ time }) => time)));
    const seconds = range.seconds ?? Math.max(60, end - first);
    return histories.map(
      (points, at): ChartLine => ({
        colour: LINE_COLOURS[at]!,
        dash: DASHES[at]!,
        isBold: outcomes[at]?.index === chosen,
        points: toLine(points, { ...range, seconds }, end),
      }),
    );
  }, [known, outcomes, chosen, range, interval, end]);
  if (candles.state === 'error' && known === undefined) {
    return (
      <div className="chart">
        <Failed what="The history of the chances" of={candles} />
      </div>
    );
  }
  if (known !== undefined && lines.every(({ points }) => points.length === 0)) {
    return (
      <div className="chart" data-testid="event-chart" data-state="empty">
        <Empty icon="clock" text="No trade and no quote yet, so there is no history." />
      </div>
    );
  }
  return <Frame lines={lines} outcomes={outcomes} />;
}

/** The last defined value, so that a chart stays visible while newer candles are read. */
function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef(value);
  if (value !== undefined) kept.current = value;
  return kept.current;
}

function Frame({
  lines,
  outcomes,
}: {
  readonly lines: readonly ChartLine[];
  readonly outcomes: readonly EventOutcome[];
}) {
  const holder = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<LinesChart>();
  const { palette, theme } = usePreferences();
  useEffect(() => {
    let made: LinesChart | undefined;
    let isUnmounted = false;
    void import('../lib/charts.ts').then(({ LinesChart }) => {
      if (isUnmounted || holder.current === null) return;
      made = new LinesChart(holder.current, axisPercent);
      setChart(made);
    });
    return () => {
      isUnmounted = true;
      made?.remove();
    };
  }, []);
  useEffect(() => chart?.show(lines), [chart, lines]);
  useEffect(() => {
    if (palette && theme) chart?.paint();
  }, [chart, palette, theme]);
  const texts = outcomes.map(({ name, chance }) => `${name} ${chance === null ? 'no price yet' : percent(chance)}`);
  return (
    <figure
      className="chart event-chart"
      data-testid="event-chart"
      data-state={chart === undefined ? 'loading' : 'ready'}
      aria-label={`Chances over time. Now: ${texts.join(', ')}.`}
    >
      <figcaption className="chart-keys">
        {outcomes.map(({ index, name }, at) => (
          <span key={index} className={`chart-key is-${DASHES[at]}`} data-testid="chart-key">
            <i style={{ borderColor: `var(${LINE_COLOURS[at]})` }} aria-hidden="true" />
            <span className="clip">{name}</span>
          </span>
        ))}
      </figcaption>
      <div ref={holder} className="chart-holder" />
    </figure>
  );
}
