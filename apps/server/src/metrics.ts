// Prometheus metrics, and the few of them that the status page shows as plain numbers.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From half a millisecond to ten seconds: an accepted order takes about five milliseconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const RATE_WINDOW_SECONDS = 10;

export class Metrics {
  readonly #registry = new Registry();
  readonly #lag = monitorEventLoopDelay({ resolution: 20 });
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #orders: Counter;
  readonly #recent: number[] = [];
  readonly #accept: number[] = [];

  constructor(gauges: Readonly<Record<string, { help: string; read: () => number }>>) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#lag.enable();
    this.#requests = new Histogram({
      name: 'presage_http_request_seconds',
      help: 'Time from request to answer',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    });
    this.#orders = new Counter({ name: 'presage_orders_accepted_total', help: 'Orders answered with 200', registers });
    for (const [name, { help, read }] of Object.entries(gauges)) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    }
  }

  observe(route: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ method, route, status: String(status) }, seconds);
    if (route !== '/api/v1/orders' || method !== 'POST' || status !== 200) return;
    this.#orders.inc();
    remember(this.#recent, Date.now());
    remember(this.#accept, seconds);
  }

  rates(): object {
    const since = Date.now() - RATE_WINDOW_SECONDS * 1_000;
    return { ordersPerSecond: this.#recent.filter((time) => time > since).length / RATE_WINDOW_SECONDS };
  }

  latency(): object {
    const sorted = [...this.#accept].sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 1_000;
    return { acceptMs: { p50: at(0.5), p99: at(0.99) }, eventLoopLagMs: this.#lag.mean / 1e6 };
  }

  async render(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  close(): void {
    this.#lag.disable();
    this.#registry.clear();
  }
}

/** A ring would do; a thousand newest are plenty for a percentile. */
function remember(list: number[], value: number): void {
  list.push(value);
  if (list.length > 2_000) list.splice(0, 1_000);
}
