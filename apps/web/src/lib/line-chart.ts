// A line chart drawn by lightweight-charts; loaded only when a chart is visible.
import {
  AreaSeries,
  ColorType,
  createChart,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type UTCTimestamp,
} from 'lightweight-charts';

export interface Point {
  /** Unix seconds. */
  readonly time: number;
  readonly value: number;
}

export interface LineChartOptions {
  readonly container: HTMLElement;
  readonly formatValue: (value: number) => string;
  readonly smallestStep: number;
}

const DASHES = LineStyle.Dashed;

export class LineChart {
  readonly #chart: IChartApi;
  readonly #series: ISeriesApi<'Area'>;
  readonly #container: HTMLElement;
  #strike: IPriceLine | undefined;

  constructor({ container, formatValue, smallestStep }: LineChartOptions) {
    this.#container = container;
    this.#chart = createChart(container, {
      autoSize: true,
      rightPriceScale: { borderVisible: false },
      timeScale: { timeVisible: true, secondsVisible: false, borderVisible: false, fixLeftEdge: true },
      handleScroll: { vertTouchDrag: false },
      localization: { priceFormatter: formatValue },
    });
    this.#series = this.#chart.addSeries(AreaSeries, {
      lineWidth: 2,
      priceFormat: { type: 'custom', formatter: formatValue, minMove: smallestStep },
    });
    this.paint();
  }

  /** Applies the page's current colours, which may have changed. */
  paint(): void {
    const style = getComputedStyle(this.#container);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const grid = { color: colour('--hairline') };
    this.#chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: colour('--surface') },
        textColor: colour('--muted'),
        fontFamily: style.fontFamily,
      },
      grid: { vertLines: grid, horzLines: grid },
    });
    this.#series.applyOptions({
      lineColor: colour('--yes'),
      topColor: colour('--yes-fill'),
      bottomColor: 'transparent',
    });
    this.#strike?.applyOptions({ color: colour('--warn') });
  }

  show(points: readonly Point[]): void {
    this.#series.setData(points.map(({ time, value }) => ({ time: time as UTCTimestamp, value })));
    this.#chart.timeScale().fitContent();
  }

  add({ time, value }: Point): void {
    this.#series.update({ time: time as UTCTimestamp, value });
  }

  /** A dashed line at this value; none when undefined. */
  markStrike(price: number | undefined, title: string): void {
    if (this.#strike !== undefined) this.#series.removePriceLine(this.#strike);
    this.#strike = undefined;
    if (price === undefined) return;
    const color = getComputedStyle(this.#container).getPropertyValue('--warn').trim();
    this.#strike = this.#series.createPriceLine({ price, color, lineStyle: DASHES, lineWidth: 2, title });
  }

  remove(): void {
    this.#chart.remove();
  }
}
