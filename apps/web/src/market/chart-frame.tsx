// A chart's container: loads the chart library, passes it points and a marked value, and describes the chart as text.
import { useEffect, useRef, useState } from 'react';
import { isContinued } from '../lib/chance-line.ts';
import type { ChartFill, ChartMark, ChartPoint, LineChart, LineChartOptions } from '../lib/line-chart.ts';
import { usePreferences } from '../state/preferences.ts';

interface ChartFrameProps extends Omit<LineChartOptions, 'container'> {
  readonly points: readonly ChartPoint[];
  readonly label: string;
  readonly marks: readonly ChartMark[];
  /** The wallet's own fills, at times of points. */
  readonly fills: readonly ChartFill[];
  /** Text that explains the marks. */
  readonly legend: string | undefined;
}

export function ChartFrame({ points, label, marks, fills, legend, ...options }: ChartFrameProps) {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useLineChart(holder, options);
  const drawn = useRef<readonly ChartPoint[]>([]);
  const { palette, theme } = usePreferences();
  useEffect(() => {
    if (chart === undefined) return;
    const before = drawn.current;
    drawn.current = points;
    const last = points.at(-1);
    if (last !== undefined && isContinued(before, points)) chart.add(last);
    else chart.show(points);
  }, [chart, points]);
  useEffect(() => chart?.mark(marks), [chart, marks]);
  useEffect(() => chart?.showFills(fills), [chart, fills]);
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
      {legend && (
        <figcaption className="chart-legend" data-testid="chart-legend">
          {legend}
        </figcaption>
      )}
    </figure>
  );
}

function useLineChart(
  holder: React.RefObject<HTMLDivElement | null>,
  { formatValue, smallestStep, leastRange }: Omit<LineChartOptions, 'container'>,
) {
  const [chart, setChart] = useState<LineChart>();
  const format = useRef(formatValue);
  useEffect(() => {
    format.current = formatValue;
  });
  useEffect(() => {
    let made: LineChart | undefined;
    let isUnmounted = false;
    void import('../lib/charts.ts').then(({ LineChart }) => {
      if (isUnmounted || holder.current === null) return;
      const options = { container: holder.current, smallestStep, leastRange };
      made = new LineChart({ ...options, formatValue: (value) => format.current(value) });
      setChart(made);
    });
    return () => {
      isUnmounted = true;
      made?.remove();
    };
  }, [holder, smallestStep, leastRange]);
  return chart;
}
