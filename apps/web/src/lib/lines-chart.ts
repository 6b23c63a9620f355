// Several lines in one chart, drawn by lightweight-charts.
import { AreaSeries, type IChartApi, type ISeriesApi, LineStyle } from 'lightweight-charts';
import { colourIn, createBase, fitOnResize, paintBase, toChartTime } from './chart-base.ts';
import type { ChartPoint } from './line-chart.ts';

export interface ChartLine {
  /** Colour token. */
  readonly colour: string;
  /** Dash style, so that lines differ without colours too. */
  readonly dash: 'solid' | 'dashed' | 'dotted';
  readonly isBold: boolean;
  readonly points: readonly ChartPoint[];
}

const DASHES = { solid: LineStyle.Solid, dashed: LineStyle.Dashed, dotted: LineStyle.Dotted };
const CLEAR = 'transparent';

export class LinesChart {
  readonly #chart: IChartApi;
  readonly #container: HTMLElement;
  readonly #resizes: ResizeObserver;
  readonly #formatValue: (value: number) => string;
  #series: ISeriesApi<'Area'>[] = [];
  #lines: readonly ChartLine[] = [];

  constructor(container: HTMLElement, formatValue: (value: number) => string) {
    this.#container = container;
    this.#formatValue = formatValue;
    this.#chart = createBase(container, formatValue);
    this.#resizes = fitOnResize(this.#chart, container);
    this.paint();
  }

  /** Applies the page's current colours, which may have changed. */
  paint(): void {
    paintBase(this.#chart, this.#container);
    const colour = colourIn(this.#container);
    this.#lines.forEach(({ colour: token, dash, isBold }, at) => {
      const look = { lineColor: colour(token), lineStyle: DASHES[dash], lineWidth: isBold ? 3 : 2 } as const;
      this.#series[at]?.applyOptions(look);
    });
  }

  show(lines: readonly ChartLine[]): void {
    while (this.#series.length > lines.length) this.#chart.removeSeries(this.#series.pop()!);
    while (this.#series.length < lines.length) this.#series.push(this.#addSeries());
    lines.forEach(({ points }, at) => {
      const data = points.map(({ time, value }) => ({
        time: toChartTime(time),
        ...(value !== undefined && { value }),
      }));
      this.#series[at]?.setData(data);
    });
    this.#lines = lines;
    this.paint();
    this.#chart.timeScale().fitContent();
  }

  /** Draws a line as an area without filling, because the library's line series would be more script to load. */
  #addSeries(): ISeriesApi<'Area'> {
    return this.#chart.addSeries(AreaSeries, {
      topColor: CLEAR,
      bottomColor: CLEAR,
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: { type: 'custom', formatter: this.#formatValue, minMove: 10_000 },
    });
  }

  remove(): void {
    this.#resizes.disconnect();
    this.#chart.remove();
  }
}
