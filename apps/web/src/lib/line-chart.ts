// A line chart drawn by lightweight-charts.
import {
  AreaSeries,
  type AutoscaleInfo,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineStyle,
  type Time,
} from 'lightweight-charts';
import { colourIn, createBase, fitOnResize, paintBase, toChartTime } from './chart-base.ts';

export interface Point {
  /** Unix seconds. */
  readonly time: number;
  readonly value: number;
}

/** A point of a line; without a value it is a gap, which still takes up space. */
export type ChartPoint = Pick<Point, 'time'> & { readonly value: number | undefined };

export interface LineChartOptions {
  readonly container: HTMLElement;
  readonly formatValue: (value: number) => string;
  readonly smallestStep: number;
  /** Least range of the value axis. */
  readonly leastRange: number;
}

/** A dashed line across the chart at one value. */
export interface ChartMark {
  readonly value: number;
  /** True if the value axis must always include the mark. */
  readonly isHeld: boolean;
}

/** A fill of the wallet's own. */
export interface ChartFill extends Point {
  readonly isBuy: boolean;
}

const HALF = '80';
const CLEAR = '00';

export class LineChart {
  readonly #chart: IChartApi;
  readonly #series: ISeriesApi<'Area'>;
  readonly #container: HTMLElement;
  readonly #leastRange: number;
  readonly #resizes: ResizeObserver;
  readonly #fills: ISeriesMarkersPluginApi<Time>;
  #lines: readonly IPriceLine[] = [];
  #ownFills: readonly ChartFill[] = [];

  constructor({ container, formatValue, smallestStep, leastRange }: LineChartOptions) {
    this.#container = container;
    this.#leastRange = leastRange;
    this.#chart = createBase(container, formatValue);
    this.#series = this.#chart.addSeries(AreaSeries, {
      lineWidth: 2,
      // The last value is shown beside the question; on the axis it would cover another label.
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: { type: 'custom', formatter: formatValue, minMove: smallestStep },
    });
    this.#fills = createSeriesMarkers(this.#series, []);
    this.mark([]);
    this.paint();
    this.#resizes = fitOnResize(this.#chart, container);
  }

  /** Applies the page's current colours, which may have changed. */
  paint(): void {
    paintBase(this.#chart, this.#container);
    const colour = colourIn(this.#container);
    const tone = colour('--yes');
    this.#series.applyOptions({ lineColor: tone, topColor: `${tone}${HALF}`, bottomColor: `${tone}${CLEAR}` });
    for (const line of this.#lines) line.applyOptions({ color: colour('--accent') });
    this.showFills(this.#ownFills);
  }

  show(points: readonly ChartPoint[]): void {
    this.#series.setData(
      points.map(({ time, value }) =>
        value === undefined ? { time: toChartTime(time) } : { time: toChartTime(time), value },
      ),
    );
    this.#chart.timeScale().fitContent();
  }

  add({ time, value }: ChartPoint): void {
    if (value !== undefined) this.#series.update({ time: toChartTime(time), value });
  }

  /** Replaces all marks. Their names are shown beside the chart, because labels on the axis would cover others. */
  mark(marks: readonly ChartMark[]): void {
    for (const line of this.#lines) this.#series.removePriceLine(line);
    const held = marks.filter(({ isHeld }) => isHeld).map(({ value }) => value);
    this.#series.applyOptions({
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => this.#scaleOf(original(), held),
    });
    const look = { color: this.#accent(), lineWidth: 1, axisLabelVisible: false } as const;
    this.#lines = marks.map(({ value: price, isHeld }) =>
      this.#series.createPriceLine({ ...look, price, lineStyle: isHeld ? LineStyle.Dashed : LineStyle.Dotted }),
    );
  }

  /** Shows the wallet's fills; their times must be times of points. */
  showFills(fills: readonly ChartFill[]): void {
    this.#ownFills = fills;
    const color = this.#accent();
    this.#fills.setMarkers(
      fills.map(({ time, isBuy }) => ({
        time: toChartTime(time),
        color,
        position: isBuy ? ('belowBar' as const) : ('aboveBar' as const),
        shape: isBuy ? ('arrowUp' as const) : ('arrowDown' as const),
      })),
    );
  }

  #accent(): string {
    return colourIn(this.#container)('--accent');
  }

  /** Widens a small range of the value axis, so that noise does not look like news. */
  #scaleOf(info: AutoscaleInfo | null, held: readonly number[]): AutoscaleInfo | null {
    if (!info?.priceRange) return info;
    const values = [info.priceRange.minValue, info.priceRange.maxValue, ...held];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = Math.max(0, (this.#leastRange - (high - low)) / 2);
    return { ...info, priceRange: { minValue: low - room, maxValue: high + room } };
  }

  remove(): void {
    this.#resizes.disconnect();
    this.#chart.remove();
  }
}
