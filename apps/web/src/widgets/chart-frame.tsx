// A chart's container: loads the chart library, passes it points and a strike, and describes the chart as text.
import { useEffect, useRef, useState } from 'react';
import type { LineChart, Point } from '../lib/line-chart.ts';
import { usePreferences } from '../state/preferences.ts';

export interface ChartFrameProps {
  readonly points: readonly Point[];
  readonly label: string;
  readonly formatValue: (value: number) => string;
  readonly smallestStep: number;
  readonly strike?: { readonly value: number; readonly title: string } | undefined;
}

export function ChartFrame({ points, label, formatValue, smallestStep, strike }: ChartFrameProps) {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useLineChart(holder, formatValue, smallestStep);
  const drawn = useRef<readonly Point[]>([]);
  const { palette, theme } = usePreferences();
  useEffect(() => {
    if (chart === undefined) return;
    const before = drawn.current;
    drawn.current = points;
    const last = points.at(-1);
    if (last !== undefined && isContinued(before, points)) chart.add(last);
    else chart.show(points);
  }, [chart, points]);
  const [value, title] = [strike?.value, strike?.title ?? ''];
  useEffect(() => chart?.markStrike(value, title), [chart, value, title]);
  useEffect(() => {
    if (palette && theme) chart?.paint();
  }, [chart, palette, theme]);
  return (
    <figure
      className="chart"
      data-testid="price-chart"
      data-state={chart === undefined ? 'loading' : 'ready'}
      aria-label={label}
    >
      <div ref={holder} className="chart-holder" />
    </figure>
  );
}

/** The same start, and one more point or a newer last one. */
function isContinued(before: readonly Point[], now: readonly Point[]): boolean {
  const grown = now.length - before.length;
  return before.length > 0 && (grown === 0 || grown === 1) && now[0]?.time === before[0]?.time;
}

function useLineChart(
  holder: React.RefObject<HTMLDivElement | null>,
  formatValue: (value: number) => string,
  smallestStep: number,
) {
  const [chart, setChart] = useState<LineChart>();
  const format = useRef(formatValue);
  useEffect(() => {
    format.current = formatValue;
  });
  useEffect(() => {
    let made: LineChart | undefined;
    let isGone = false;
    void import('../lib/line-chart.ts').then(({ LineChart }) => {
      if (isGone || holder.current === null) return;
      made = new LineChart({ container: holder.current, formatValue: (value) => format.current(value), smallestStep });
      setChart(made);
    });
    return () => {
      isGone = true;
      made?.remove();
    };
  }, [holder, smallestStep]);
  return chart;
}
