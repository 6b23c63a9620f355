// Opens the metrics of the service.
import { Metrics } from './metrics.ts';

export function openMetrics(): Metrics {
  return new Metrics();
}
