// Opens the metrics of the service.
import type { ServedChain } from '../chains/chain-actor.ts';
import { Metrics } from './metrics.ts';
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

/** Nodes that do not act on the chain have nothing to measure there. */
export function watchChain(metrics: Metrics, { config, actor }: Pick<ServedChain, 'config' | 'actor'>): void {
  const labels = { chain: `${config.chainId}` };
  metrics.addGauges(actor?.gauges() ?? {}, labels);
  metrics.addCounters(actor?.counters() ?? {}, labels);
}
