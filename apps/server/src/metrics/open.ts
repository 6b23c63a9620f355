// Opens the metrics of the service.
import { Metrics } from './metrics.ts';

export { serviceGauges } from './service-gauges.ts';

export function openMetrics(): Metrics {
  return new Metrics();
}
