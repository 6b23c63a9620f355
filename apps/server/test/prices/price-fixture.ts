// The prices module with sources and clocks that the test controls; its files are real.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PriceSourceName } from '@presage/protocol';
import { ManualClock, SILENT_LOG } from '@presage/testkit';
import type { Price, PriceSource } from '../../src/prices/ports.ts';
import { PriceRing } from '../../src/prices/price-ring.ts';
import { Prices } from '../../src/prices/prices.ts';

/** A source that says what the test says, as long as it is connected. */
export class SpokenSource implements PriceSource {
  isRunning = false;
  readonly name: PriceSourceName;

  constructor(name: PriceSourceName) {
    this.name = name;
  }

  urlOf(asset: string): string {
    return `test://${this.name}/${asset}`;
  }

  knows(): boolean {
    return true;
  }

  start(): void {
    this.isRunning = true;
  }

  stop(): void {
    this.isRunning = false;
  }
}

type Change = [asset: string, isFresh: boolean];

export class PriceFixture {
  readonly dir: string;
  readonly wall: ManualClock;
  readonly published: Price[] = [];
  /** Changes of freshness, as they are logged. */
  readonly changes: readonly Change[];
  readonly sources: Readonly<Record<PriceSourceName, SpokenSource>>;
  readonly prices: Prices;
  readonly #offsetMs: { value: number };

  private constructor(
    dir: string,
    wall: ManualClock,
    offsetMs: { value: number },
    prices: Prices,
    changes: readonly Change[],
  ) {
    this.changes = changes;
    this.dir = dir;
    this.wall = wall;
    this.#offsetMs = offsetMs;
    this.prices = prices;
    const named = (name: PriceSourceName) => new SpokenSource(name);
    this.sources = { pyth: named('pyth'), coinbase: named('coinbase'), binance: named('binance') };
    prices.start(Object.values(this.sources));
    prices.subscribe((price) => this.published.push(price));
  }

  static async open(former?: Pick<PriceFixture, 'dir' | 'wall'>): Promise<PriceFixture> {
    const dir = former?.dir ?? (await mkdtemp(join(tmpdir(), 'presage-prices-')));
    const wall = former?.wall ?? new ManualClock();
    const offsetMs = { value: 0 };
    const assets = await Promise.all(
      ['BTC'].map(async (asset) => {
        const ring = await PriceRing.open(join(dir, `${asset}.ring`), asset);
        return { asset, ring, prices: await ring.load() };
      }),
    );
    const changes: Change[] = [];
    const log = {
      ...SILENT_LOG,
      info: (details: object) => {
        if ('isFresh' in details && 'asset' in details) changes.push([String(details.asset), details.isFresh === true]);
      },
    };
    const nowMs = () => wall.nowMs + offsetMs.value;
    const prices = new Prices({ assets, allowsSimulated: true, nowMs, wallMs: () => wall.nowMs, log });
    return new PriceFixture(dir, wall, offsetMs, prices, changes);
  }

  get nowMs(): number {
    return this.wall.nowMs + this.#offsetMs.value;
  }

  travel(seconds: number): void {
    this.#offsetMs.value += seconds * 1_000;
  }

  /** What a connected source says now; one that nobody called says nothing. */
  async say(source: PriceSourceName, price: number, change: Partial<Price> = {}): Promise<void> {
    if (!this.sources[source].isRunning) return;
    const simulated = source === 'pyth';
    this.prices.take({ asset: 'BTC', price, timeMs: this.nowMs, source, simulated, ...change });
    await this.settle();
  }

  /** Everything taken is on disk and published. */
  async settle(): Promise<void> {
    await this.prices.flushed();
  }

  /** So many seconds pass; in each, every listed source publishes. */
  async pass(seconds: number, speakers: Partial<Record<PriceSourceName, number>>): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.wall.advanceSeconds(1);
      this.prices.tick();
      for (const [name, price] of Object.entries(speakers)) await this.say(name as PriceSourceName, price);
    }
  }

  get running(): string[] {
    return Object.values(this.sources).flatMap(({ name, isRunning }) => (isRunning ? [name] : []));
  }

  async close(): Promise<void> {
    await this.prices.close();
  }

  async discard(): Promise<void> {
    await this.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
