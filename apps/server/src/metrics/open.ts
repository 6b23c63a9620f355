// Opens the metrics of the service.
import { type GaugeReading, Metrics } from './metrics.ts';
import { type ServiceGaugesOptions, serviceGauges } from './service-gauges.ts';

/** What runs. */
export interface Build {
  readonly version: string;
  readonly node: string;
}

export function openMetrics(build: Build): Metrics {
  const metrics = new Metrics();
  const info = { help: 'Always 1; the labels say what runs', read: () => 1 };
  metrics.addGauges({ presage_build_info: info }, { version: build.version, node: build.node });
  return metrics;
}

export function watchSurroundings(metrics: Metrics, options: ServiceGaugesOptions): void {
  metrics.addGauges(serviceGauges(options));
}

interface MeasuredChain {
  readonly config: { readonly chainId: number };
  gauges(): Readonly<Record<string, GaugeReading>>;
  counters(): Readonly<Record<string, GaugeReading>>;
}

export function watchChain(metrics: Metrics, { config: { chainId }, gauges, counters }: MeasuredChain): void {
  metrics.addGauges(gauges(), { chain: `${chainId}` });
  metrics.addCounters(counters(), { chain: `${chainId}` });
}
