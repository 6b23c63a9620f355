// Everything that is drawn by lightweight-charts, in one script; loaded only when a chart is visible.
export { LineChart } from './line-chart.ts';
export { LinesChart } from './lines-chart.ts';
