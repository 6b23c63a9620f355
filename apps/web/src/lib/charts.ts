// All charts drawn by lightweight-charts, in one script that is loaded only when a chart is visible.
export { LineChart } from './line-chart.ts';
export { LinesChart } from './lines-chart.ts';
