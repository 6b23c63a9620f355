// One simulated world: machines, chain, network and the services in their processes, all from one seed.

import { createHash } from 'node:crypto';
import { keyOf } from '@presage/devchain';
import type { FeeRates, MarketId } from '@presage/protocol';
import { SeededRandom } from '@presage/testkit';
import type { ChainActor } from '../../apps/server/src/chains/chain-actor.ts';
import type { DurableBatch } from '../../apps/server/src/host/partition-log.ts';
import { install } from '../kernel/install.ts';
import { VirtualTime } from '../kernel/virtual-time.ts';
import { describe } from './describe.ts';
import type { EndOfProcess, Machine, Outcome } from './machine.ts';
import { CONFIRMATIONS, SimChain } from './sim-chain.ts';
import { type ChainTemplate, FEE_CHOICES } from './sim-chain-template.ts';
import { SimFeed } from './sim-feed.ts';
import { SimNetwork } from './sim-network.ts';
import type { SimService } from './sim-service.ts';
import { drawShape, type ExchangeNode, openCluster, openSingleSite, type Site, type SiteParts } from './site.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly template: ChainTemplate;
  readonly collateralCheck: 'enforce' | 'off';
  /** A cluster of nodes with a shared journal, instead of one node. */
  readonly isCluster?: boolean | undefined;
  /** Called with each line as it is written. */
  readonly onLine?: ((line: string) => void) | undefined;
}

const BLOCK_MS = 2_000;
const EVENTS_CHANCE = 0.25;

/** Drawn from a stream of its own, so that the lives of all other seeds stay as they were before there were events. */
export function hasEvents(seed: number): boolean {
  return randomOf(seed, 'events').chance(EVENTS_CHANCE);
}

function randomOf(seed: number, part: string): SeededRandom {
  const bytes = createHash('sha256').update(`${seed} ${part}`).digest();
  return new SeededRandom(bytes.readUIntBE(0, 6));
}

export class World {
  readonly seed: number;
  readonly template: ChainTemplate;
  /** The template's markets in which this world trades, each with its drawn rates, and those of its events. */
  readonly marketIds: readonly MarketId[];
  readonly time: VirtualTime;
  readonly site: Site;
  readonly chain: SimChain;
  readonly network: SimNetwork;
  readonly feed: SimFeed;
  /** Violations found while the world runs. */
  readonly violations: string[] = [];
  isChainHalted = false;
  reorgs = 0;
  /** Time at which final blocks last left the chain. */
  deepReorgMs: number | undefined;
  /** Whether the service had seen enough of the removed blocks that the oldest was final to it. */
  isDeepReorgSeen = false;
  /** Number of the newest block when the world began. */
  readonly firstBlock: number;
  /** The service's sending accounts, in lower case. */
  readonly operators: ReadonlySet<string> = new Set(
    (['settler', 'relayer'] as const).map((role) => keyOf(role).address.toLowerCase()),
  );
  readonly #options: WorldOptions;
  readonly #gatewayChoice: SeededRandom;
  readonly #digest = createHash('sha256');
  #lineCount = 0;
  #leapMs = 0;
  /** Called with each request that reaches a node, before it is answered. */
  onRequest: (method: string, params: readonly unknown[]) => void = () => undefined;
  /** Called when a process has ended, before the next one starts. */
  onEnded: (machine: Machine, how: EndOfProcess) => void = () => undefined;
  /** Called with each transaction that a service sends, as it leaves its machine. */
  onSent: (raw: string) => void = () => undefined;
  /** Called with records of the markets that a node shows. */
  onShown: (machine: string, batch: DurableBatch) => void = () => undefined;
  readonly #restore: () => void;

  private constructor(options: WorldOptions, time: VirtualTime, chain: SimChain) {
    this.#options = options;
    this.seed = options.seed;
    this.template = options.template;
    this.time = time;
    this.chain = chain;
    this.firstBlock = chain.head.number;
    this.#gatewayChoice = this.randomFor('gateway choice');
    const rates = this.randomFor('fee rates');
    const ofEvents = this.template.events.flatMap(({ marketIds }) => marketIds);
    this.marketIds = [...this.template.marketChoices.map((choices) => rates.pick(choices)), ...ofEvents];
    this.site = this.#openSite(rates.pick(FEE_CHOICES));
    this.feed = new SimFeed(() => Math.floor((this.template.startMs + time.nowMs + this.#leapMs) / 1_000));
    this.network = new SimNetwork({
      time,
      random: this.randomFor('network'),
      chain,
      onSent: (raw) => this.onSent(raw),
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
      net: this.site.sockets,
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

  /** Restores the real clock and network when nothing is pending any more. */
  async close(): Promise<void> {
    await this.time.settle();
    process.off('unhandledRejection', this.#onUnhandled);
    this.#restore();
  }

  /** A random stream per part: further draws of one do not change the others. */
  randomFor(part: string): SeededRandom {
    return randomOf(this.seed, part);
  }

  /** Writes one line per event. Details are part of the digest, and shown only with a trace. */
  say(text: string, level: 'event' | 'detail' = 'event'): void {
    const line = `${this.time.nowMs.toFixed(3).padStart(12)} ${text}`;
    this.#digest.update(`${line}\n`);
    this.#lineCount++;
    if (level === 'event' || this.isTraced) this.#options.onLine?.(line);
  }

  isTraced = false;

  /** Equal for two runs of one seed, unless something depends on more than the seed. */
  get digest(): { readonly lines: number; readonly sha256: string } {
    return { lines: this.#lineCount, sha256: this.#digest.copy().digest('hex') };
  }

  /** All machines, engines first. */
  get machines(): readonly Machine[] {
    const { engines, exchanges } = this.site;
    return [...engines, ...exchanges.map(({ machine }) => machine)];
  }

  get gateways(): readonly Machine<SimService>[] {
    return this.#withRole('gateway');
  }

  /** Nodes whose service is open; a settler on standby is not. */
  get openExchanges(): readonly ExchangeNode[] {
    return this.site.exchanges.filter(({ machine }) => machine.program !== undefined);
  }

  /** The service that acts on the chain, once it is open; it knows every market. */
  get service(): SimService | undefined {
    return this.#settler()?.program;
  }

  /** Time at which the service that acts on the chain opened. */
  get settlerReadyMs(): number | undefined {
    return this.#settler()?.readyMs;
  }

  /** Whether every node runs, shows all durable records and has them in its view, and each partition has an owner. */
  isFollowed(): boolean {
    const { database, partitions, engines, exchanges } = this.site;
    if (this.openExchanges.some(({ machine }) => machine.program?.viewLag() !== 0)) return false;
    if (database === undefined) return true;
    const isUp = exchanges.every(({ machine, roles }) => machine.program !== undefined || roles.includes('settler'));
    const isShown = partitions.every((partition, index) => {
      const end = database.tables.of(partition).at(-1)?.last ?? 0;
      return this.openExchanges.every(({ machine }) => machine.program?.markets[index]?.lastSeq === end);
    });
    const owned = engines.flatMap(({ program }) => program?.owned() ?? []);
    return (
      isUp && isShown && ['control', ...partitions].every((name) => owned.filter((each) => each === name).length === 1)
    );
  }

  get starts(): number {
    return this.machines.reduce((sum, { starts }) => sum + starts, 0);
  }

  get isRunning(): boolean {
    return this.machines.every(({ isRunning }) => isRunning);
  }

  /** Machines sleep and the chain makes no block: only the clocks advance. */
  leap(ms: number): void {
    this.time.jumpClock(ms);
    this.chain.leap(ms);
    this.#leapMs += ms;
  }

  /** Starts every machine that does not run. */
  start(): void {
    for (const machine of this.machines) machine.start();
  }

  /** A trader's call to any gateway. */
  ask<T>(delayMs: number, call: (service: SimService) => Promise<T>): Promise<Outcome<T>> {
    const { gateways } = this;
    const gateway = gateways.length === 1 ? gateways[0]! : this.#gatewayChoice.pick(gateways);
    return gateway.ask(delayMs, call);
  }

  /** A call for the node that acts on the chain: gateways forward it. */
  async askActor<T>(delayMs: number, call: (actor: ChainActor) => Promise<T>): Promise<Outcome<T>> {
    const settler = this.#settler();
    if (settler === undefined) return { kind: 'lost' };
    return settler.ask(delayMs, ({ actor }) => call(actor!));
  }

  #withRole(role: string): Machine<SimService>[] {
    return this.site.exchanges.filter(({ roles }) => roles.includes(role)).map(({ machine }) => machine);
  }

  #settler(): Machine<SimService> | undefined {
    return this.#withRole('settler').find(({ program }) => program !== undefined);
  }

  #openSite(quickRates: FeeRates): Site {
    const { template, collateralCheck, isCluster = false } = this.#options;
    const parts: SiteParts = {
      time: this.time,
      template,
      collateralCheck,
      quickRates,
      feed: () => this.feed,
      randomFor: (part) => this.randomFor(part),
      say: (text, level) => this.say(text, level),
      onViolation: (violation) => this.violations.push(violation),
      onEnded: (machine, how) => this.onEnded(machine, how),
      onShown: (machine, batch) => this.onShown(machine, batch),
    };
    return isCluster ? openCluster(parts, drawShape(this.randomFor('shape'))) : openSingleSite(parts);
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

  /** Called before the blocks leave. */
  onReorg(depth: number): void {
    this.reorgs++;
    if (depth <= CONFIRMATIONS) return;
    this.deepReorgMs = this.time.nowMs;
    const seen = this.service?.actor?.indexer.lastBlock?.number ?? 0;
    this.isDeepReorgSeen ||= seen - (this.chain.head.number - depth) >= CONFIRMATIONS;
  }

  async mine(): Promise<void> {
    const waiting = this.chain.poolSize;
    await this.chain.mine();
    const { number, hash, transactions } = this.chain.head;
    const level = transactions.length > 0 ? 'event' : 'detail';
    this.say(`block ${number} ${hash.slice(0, 10)} ${transactions.length} of ${waiting} transactions`, level);
  }

  readonly #onUnhandled = (error: unknown): void => {
    const machine = this.machines.find(({ name }) => name === this.time.current.machine);
    if (machine?.isRunning !== true) return;
    this.violations.push(`a rejection that nobody handles: ${describe(error)}`);
    machine.end('ended itself', describe(error));
  };
}
