// Shared parts of all charts drawn by lightweight-charts: frame, colours, times.
import { ColorType, createChart, type IChartApi, type UTCTimestamp } from 'lightweight-charts';
import { zoneShift } from './times.ts';

/** Time for the library, which labels times as UTC: shifted to the zone that the page shows. */
export function toChartTime(unixSeconds: number): UTCTimestamp {
  // The library's branded number type.
  return (unixSeconds + zoneShift(unixSeconds)) as UTCTimestamp;
}

export function createBase(container: HTMLElement, formatValue: (value: number) => string): IChartApi {
  return createChart(container, {
    autoSize: true,
    rightPriceScale: { borderVisible: false },
    timeScale: {
      timeVisible: true,
      secondsVisible: false,
      borderVisible: false,
      fixLeftEdge: true,
      fixRightEdge: true,
    },
    handleScroll: false,
    handleScale: false,
    localization: { priceFormatter: formatValue },
  });
}

/** Keeps all points visible when the container changes its size. */
export function fitOnResize(chart: IChartApi, container: HTMLElement): ResizeObserver {
  // Waits a frame, until the chart itself has resized.
  const resizes = new ResizeObserver(() => requestAnimationFrame(() => chart.timeScale().fitContent()));
  resizes.observe(container);
  return resizes;
}

/** Resolves a colour token in the current theme. */
export function colourIn(container: HTMLElement): (name: string) => string {
  const style = getComputedStyle(container);
  return (name) => style.getPropertyValue(name).trim();
}

export function paintBase(chart: IChartApi, container: HTMLElement): void {
  const colour = colourIn(container);
  const cross = { color: colour('--line-control'), labelBackgroundColor: colour('--pressed') };
  chart.applyOptions({
    layout: {
      background: { type: ColorType.Solid, color: colour('--surface') },
      textColor: colour('--text-3'),
      fontFamily: getComputedStyle(container).fontFamily,
      fontSize: 12,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: colour('--line') } },
    crosshair: { vertLine: cross, horzLine: cross },
  });
}
