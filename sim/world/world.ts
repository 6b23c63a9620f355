// One simulated world: machine, disk, chain, network and the service in its process, all from one seed.

import { createHash } from 'node:crypto';
import { keyOf } from '@presage/devchain';
import { type FeeRates, type MarketId, PresageError } from '@presage/protocol';
import { SeededRandom } from '@presage/testkit';
import { install } from '../kernel/install.ts';
import { type SimProcess, VirtualTime } from '../kernel/virtual-time.ts';
import { SimChain } from './sim-chain.ts';
import { type ChainTemplate, FEE_CHOICES } from './sim-chain-template.ts';
import { SimDisk } from './sim-disk.ts';
import { SimFeed } from './sim-feed.ts';
import { SimNetwork } from './sim-network.ts';
import { openSimService, type SimService } from './sim-service.ts';
import { openSimViews, SimViewDatabase } from './sim-views.ts';

/** How a call to the service ended for whoever made it. */
export type Outcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The process ended first, or there was none: nobody knows what became of it. */
  | { readonly kind: 'lost' };

export type EndOfProcess = 'killed' | 'power lost' | 'ended itself' | 'stopped';

export interface WorldOptions {
  readonly seed: number;
  readonly template: ChainTemplate;
  readonly collateralCheck: 'enforce' | 'off';
  /** Called with each line as it is written. */
  readonly onLine?: ((line: string) => void) | undefined;
}

const BLOCK_MS = 2_000;

export class World {
  readonly seed: number;
  readonly template: ChainTemplate;
  /** The markets of the template that this world trades in, each with the rates that were drawn for it. */
  readonly marketIds: readonly MarketId[];
  readonly #quickRates: FeeRates;
  readonly time: VirtualTime;
  readonly disk: SimDisk;
  readonly chain: SimChain;
  readonly network: SimNetwork;
  readonly feed: SimFeed;
  readonly viewDatabase: SimViewDatabase;
  /** What must never happen, found while the world runs. */
  readonly violations: string[] = [];
  isChainHalted = false;
  reorgs = 0;
  /** Accounts that the service sends from, in lower case. */
  readonly operators: ReadonlySet<string> = new Set(
    (['settler', 'relayer'] as const).map((role) => keyOf(role).address.toLowerCase()),
  );
  readonly #options: WorldOptions;
  readonly #digest = createHash('sha256');
  #lineCount = 0;
  #process: SimProcess | undefined;
  #service: SimService | undefined;
  #boot = 0;
  #leapMs = 0;
  #starts = 0;
  readonly #pending = new Set<() => void>();
  /** Called with each request that reaches a node, before it is answered. */
  onRequest: (method: string, params: readonly unknown[]) => void = () => undefined;
  /** Called when a process has ended, before the next one starts. */
  onEnded: (how: EndOfProcess) => void = () => undefined;
  readonly #restore: () => void;

  private constructor(options: WorldOptions, time: VirtualTime, chain: SimChain) {
    this.#options = options;
    this.seed = options.seed;
    this.template = options.template;
    this.time = time;
    this.chain = chain;
    const rates = this.randomFor('fee rates');
    this.marketIds = this.template.marketChoices.map((choices) => rates.pick(choices));
    this.#quickRates = rates.pick(FEE_CHOICES);
    this.viewDatabase = new SimViewDatabase(time);
    this.disk = new SimDisk(time, this.randomFor('disk'));
    this.feed = new SimFeed(() => Math.floor((this.template.startMs + time.nowMs + this.#leapMs) / 1_000));
    this.network = new SimNetwork({
      time,
      random: this.randomFor('network'),
      chain,
      onRequest: (node, method, params) => {
        this.say(`rpc ${node} ${method}`, 'detail');
        this.onRequest(method, params);
      },
      others: (url) => this.feed.answer(url),
    });
    const chance = this.randomFor('Math.random');
    this.#restore = install({
      time,
      random: () => chance.fraction(),
      // The services call it with a text and options only.
      fetch: this.network.fetch as unknown as typeof fetch,
    });
    process.on('unhandledRejection', this.#onUnhandled);
  }

  static async open(options: WorldOptions): Promise<World> {
    const { startMs, chain: prepared } = options.template;
    const time = new VirtualTime(startMs);
    const chain = await SimChain.open(time, startMs, prepared);
    const world = new World(options, time, chain);
    world.#mineSoon();
    return world;
  }

  /** When nothing is under way any more, puts the real clock and network back. */
  async close(): Promise<void> {
    await this.time.settle();
    process.off('unhandledRejection', this.#onUnhandled);
    this.#restore();
  }

  /** Each part draws from its own stream: that one draws more does not change the others. */
  randomFor(part: string): SeededRandom {
    const bytes = createHash('sha256').update(`${this.seed} ${part}`).digest();
    return new SeededRandom(bytes.readUIntBE(0, 6));
  }

  /** One line for each event. Details are part of the digest, and shown only with a trace. */
  say(text: string, level: 'event' | 'detail' = 'event'): void {
    const line = `${this.time.nowMs.toFixed(3).padStart(12)} ${text}`;
    this.#digest.update(`${line}\n`);
    this.#lineCount++;
    if (level === 'event' || this.isTraced) this.#options.onLine?.(line);
  }

  isTraced = false;

  /** The same for two runs of one seed, or something depends on more than the seed. */
  get digest(): { readonly lines: number; readonly sha256: string } {
    return { lines: this.#lineCount, sha256: this.#digest.copy().digest('hex') };
  }

  get service(): SimService | undefined {
    return this.#service;
  }

  get starts(): number {
    return this.#starts;
  }

  get isRunning(): boolean {
    return this.#process?.isAlive === true;
  }

  /** The machine sleeps, and the chain makes no block: only the clocks go on. */
  leap(ms: number): void {
    this.time.jumpClock(ms);
    this.chain.leap(ms);
    this.#leapMs += ms;
  }

  /** A new process, unless one is there. */
  start(): void {
    if (this.isRunning) return;
    const process: SimProcess = { name: `service-${++this.#starts}`, isAlive: true };
    this.#process = process;
    this.say(`start ${process.name}`);
    this.time.after(1, () => this.#open(process), process);
  }

  /** The process is gone at once, in the middle of whatever it did. */
  end(how: EndOfProcess, why = ''): void {
    const process = this.#process;
    if (process === undefined || !process.isAlive) return;
    process.isAlive = false;
    this.#service = undefined;
    this.say(`${how} ${process.name}${why && `: ${why}`}`);
    if (how === 'power lost') {
      this.#boot++;
      this.disk.losePower();
    }
    for (const lose of [...this.#pending]) lose();
    this.onEnded(how);
  }

  /** Stops the service as an operator does; resolves when it has ended. */
  async stop(): Promise<void> {
    const [service, process] = [this.#service, this.#process];
    if (service === undefined || process === undefined) return;
    this.say(`stop ${process.name}`);
    const closed = new Promise<void>((resolve) => {
      this.time.after(0, () => void service.close().then(resolve), process);
    });
    await closed;
    this.end('stopped');
  }

  /** A call from outside, over a network that takes its time. */
  ask<T>(delayMs: number, call: (service: SimService) => Promise<T>): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const process = this.#process;
      const service = this.#service;
      if (process === undefined || service === undefined) return resolve({ kind: 'lost' });
      const settle = (outcome: Outcome<T>) => {
        this.#pending.delete(lose);
        resolve(outcome);
      };
      const lose = () => settle({ kind: 'lost' });
      this.#pending.add(lose);
      const run = () =>
        void call(service).then(
          (value) => settle({ kind: 'answered', value }),
          (error) => {
            // Anything else than a refusal of the catalogue is a fault of the service.
            if (!(error instanceof PresageError) && process.isAlive)
              this.violations.push(`a call failed: ${describe(error)}`);
            settle({ kind: 'refused', error });
          },
        );
      this.time.after(delayMs, run, process);
    });
  }

  #open(process: SimProcess): void {
    const { template, collateralCheck } = this.#options;
    const self = { pid: this.#starts, startTicks: this.#starts, bootId: `boot-${this.#boot}` };
    const isAlive = ({ pid, bootId }: typeof self) => this.isRunning && pid === this.#starts && bootId === self.bootId;
    openSimService({
      template,
      collateralCheck,
      quickRates: this.#quickRates,
      disk: this.disk,
      probe: { self: async () => self, isAlive: async (other) => isAlive(other) },
      prices: this.feed.openPrices(),
      openViews: (source, host) => openSimViews({ source, host, database: this.viewDatabase }),
      onWarning: (message) => process.isAlive && this.say(`warning: ${message}`),
      onFatal: (error) => process.isAlive && this.end('ended itself', String(error)),
    }).then(
      (service) => {
        if (!process.isAlive) return;
        this.#service = service;
        this.say(`ready ${process.name}`);
      },
      (error) => {
        if (process.isAlive) this.end('ended itself', `start failed: ${describe(error)}`);
      },
    );
  }

  #mineSoon(): void {
    this.time.after(
      BLOCK_MS,
      () => {
        this.#mineSoon();
        if (!this.isChainHalted) void this.mine();
      },
      this.time.world,
    );
  }

  async mine(): Promise<void> {
    const waiting = this.chain.poolSize;
    await this.chain.mine();
    const { number, hash, transactions } = this.chain.head;
    const level = transactions.length > 0 ? 'event' : 'detail';
    this.say(`block ${number} ${hash.slice(0, 10)} ${transactions.length} of ${waiting} transactions`, level);
  }

  readonly #onUnhandled = (error: unknown): void => {
    if (!this.isRunning) return;
    this.violations.push(`a rejection that nobody handles: ${describe(error)}`);
    this.end('ended itself', describe(error));
  };
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
