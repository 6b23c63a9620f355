// Prometheus metrics, and the few that the status shows as plain numbers.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { JournalRecord } from '@presage/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets in seconds: from ten microseconds, which matching takes, to the minutes that a slow chain may need. */
const BUCKETS = [1e-5, 1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];
const RATE_WINDOW_SECONDS = 10;
/** Slot for counting recent orders; counted per slot, since thousands may arrive in a second. */
const RATE_SLOT_MS = 100;
const RATE_SLOTS = (RATE_WINDOW_SECONDS * 1_000) / RATE_SLOT_MS;
const LAG_RESOLUTION_MS = 20;

type Read = () => number | Promise<number>;
type Readings = Readonly<Record<string, { readonly help: string; readonly read: Read }>>;
type Labels = Readonly<Record<string, string>>;
type LabelledReading = { readonly labels: Labels; readonly read: Read };
type MetricOptions = { name: string; help: string; labelNames: string[]; registers: Registry[] };

export class Metrics {
  readonly #registry = new Registry();
  readonly #lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #match = this.#histogram('presage_match_seconds', 'Time the engine takes over a command');
  readonly #journal = this.#histogram('presage_journal_sync_seconds', 'Time until records are durable');
  readonly #settle = this.#histogram('presage_settle_seconds', 'Time from a match to its confirmation on chain');
  readonly #orders: Counter;
  readonly #failed: Counter;
  readonly #readings = new Map<string, LabelledReading[]>();
  /** Recently accepted orders by slot of monotonic time, oldest first. */
  readonly #recent = new Map<number, number>();
  readonly #accepts: number[] = [];
  readonly #settles: number[] = [];
  /** Wall time at which each unsettled trade was matched; not service time, so that time travel does not look slow. */
  readonly #matchedMs = new Map<string, number>();

  constructor() {
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
    this.#orders = new Counter({
      name: 'presage_orders_accepted_total',
      help: 'Orders accepted, in batches or one by one',
      registers,
    });
    this.#failed = new Counter({ name: 'presage_trades_failed_total', help: 'Trades that did not settle', registers });
  }

  /** Adds gauges, read when metrics are requested. Gauges of the same name, for example of several chains, differ by their labels. */
  addGauges(gauges: Readings, labels: Labels = {}): void {
    this.#add(gauges, labels, (options, readings) => {
      new Gauge({
        ...options,
        async collect() {
          for (const each of readings) this.set(each.labels, await each.read());
        },
      });
    });
  }

  /** Adds counters that a module keeps since the start; read like gauges, never decreasing. */
  addCounters(counters: Readings, labels: Labels = {}): void {
    this.#add(counters, labels, (options, readings) => {
      new Counter({
        ...options,
        async collect() {
          this.reset();
          for (const each of readings) this.inc(each.labels, await each.read());
        },
      });
    });
  }

  #add(added: Readings, labels: Labels, register: (options: MetricOptions, readings: LabelledReading[]) => void): void {
    for (const [name, { help, read }] of Object.entries(added)) {
      const readings = this.#readings.get(name) ?? [];
      readings.push({ labels, read });
      if (this.#readings.has(name)) continue;
      this.#readings.set(name, readings);
      register({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] }, readings);
    }
  }

  observe(route: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ method, route, status: String(status) }, seconds);
    if (route === '/api/v1/orders' && method === 'POST' && status === 200) remember(this.#accepts, seconds);
  }

  /** Observes a match. Bound, like the next one, so that it can be passed as a callback. */
  readonly observeMatch = (seconds: number): void => this.#match.observe(seconds);
  readonly observeJournal = (seconds: number): void => this.#journal.observe(seconds);

  /** Counts a record. Times of trades matched in an earlier run are unknown and not observed. */
  follow(record: JournalRecord): void {
    if (record.type === 'order-accepted') {
      this.#orders.inc();
      this.#countRecent();
    }
    if (record.type === 'trade-matched') this.#matchedMs.set(record.tradeId, Date.now());
    if (record.type === 'trade-failed') this.#failed.inc();
    const isEnd = record.type === 'trade-failed' || (record.type === 'trade-moved' && record.stage === 'confirmed');
    if (!isEnd) return;
    const matchedMs = this.#matchedMs.get(record.tradeId);
    this.#matchedMs.delete(record.tradeId);
    if (matchedMs === undefined || record.type === 'trade-failed') return;
    const seconds = Math.max(0, Date.now() - matchedMs) / 1_000;
    this.#settle.observe(seconds);
    remember(this.#settles, seconds);
  }

  rates(): { ordersPerSecond: number } {
    const since = currentSlot() - RATE_SLOTS;
    const recent = [...this.#recent].reduce((sum, [slot, count]) => (slot > since ? sum + count : sum), 0);
    return { ordersPerSecond: recent / RATE_WINDOW_SECONDS };
  }

  latency() {
    return {
      acceptMs: percentilesMs(this.#accepts),
      settleMs: percentilesMs(this.#settles),
      // Subtracts the resolution, which every sample includes; NaN before the first sample.
      eventLoopLagMs: Math.max(0, this.#lag.mean / 1e6 - LAG_RESOLUTION_MS || 0),
    };
  }

  async render(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  close(): void {
    this.#lag.disable();
    this.#registry.clear();
  }

  #countRecent(): void {
    const slot = currentSlot();
    this.#recent.set(slot, (this.#recent.get(slot) ?? 0) + 1);
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined && this.#recent.size > RATE_SLOTS) this.#recent.delete(oldest);
  }

  #histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: BUCKETS, registers: [this.#registry] });
  }
}

function currentSlot(): number {
  return Math.floor(performance.now() / RATE_SLOT_MS);
}

function percentilesMs(seconds: readonly number[]): { p50: number; p99: number } {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 1_000;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Adds a value; drops the oldest thousand at two thousand, since a thousand are plenty for a percentile. */
function remember(list: number[], value: number): void {
  list.push(value);
  if (list.length > 2_000) list.splice(0, 1_000);
}
