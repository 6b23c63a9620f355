// The partitions of an engine: it takes free ones up to its share, and hands those beyond its share to engines that join.

import type { JournalFiles } from '@presage/journal';
import { UsedTokens } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import { ControlState } from '../host/control-state.ts';
import { followRecords } from '../host/follow-records.ts';
import { Host } from '../host/host.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import { PartitionState } from '../host/partition-state.ts';
import type { Log } from '../log/log.ts';
import type { Cluster } from './cluster.ts';
import { PartitionSeat, type Successor } from './partition-seat.ts';
import type { EngineOwners, Tenant } from './ports.ts';

type EnginePeers = EngineOwners &
  Pick<
    Cluster,
    'engineCount' | 'isFree' | 'isOutvoted' | 'serve' | 'hold' | 'giveUp' | 'successors' | 'receive' | 'retire'
  >;

export interface EngineSeatsOptions {
  /** Other nodes, with which the partitions are shared. */
  readonly peers: EnginePeers;
  readonly address: string;
  readonly leaseMs: number;
  readonly dataDir: string;
  /** Replaces the machine's disk, for the simulator. */
  readonly files?: JournalFiles | undefined;
  /** Records between two checkpoints of a partition. */
  readonly checkpointEvery?: number;
  /** Names of the partitions of engines, control first. */
  readonly partitions: readonly string[];
  readonly nowMs: () => number;
  readonly onDecided: (seconds: number) => void;
  /** Called when this node becomes the owner of the control partition, or stops being it. */
  readonly onControl: (isOwned: boolean) => void;
  readonly log: Log;
}

const BALANCE_MS = 250;
/** A stopping engine tries this long to hand its partitions over, then gives up those that remain. A process has 15 s to end. */
const LEAVE_MS = 10_000;
/** Pause before partitions that nobody took are offered again. */
const OFFER_AGAIN_MS = 100;
/** Partitions that are prepared or handed over at the same time: more would only wait for each other. */
const AT_ONCE = 4;
/** A partition that has been free for this long is taken by any engine; those that have too much then hand it over. */
const OVERDUE_MS = 500;
/** A closing engine still redirects callers for this long. Longer than the time between two reads of the directory. */
const LINGER_MS = 500;

export class EngineSeats {
  readonly #options: EngineSeatsOptions;
  readonly #seats: readonly PartitionSeat[];
  #balancing: NodeJS.Timeout | undefined;
  #isMoving = false;
  #isLeaving = false;
  /** Earliest time of the next move: the cause of a failed one seldom ends at once. */
  #notBeforeMs = 0;

  constructor(options: EngineSeatsOptions) {
    this.#options = options;
    this.#seats = options.partitions.map((partition) => this.#createSeat(partition));
  }

  get owned(): string[] {
    return this.#seats.filter(({ isOwned }) => isOwned).map(({ partition }) => partition);
  }

  /** Partitions whose acknowledged records are missing from the database. */
  get halted(): string[] {
    return this.#seats.filter(({ isHalted }) => isHalted).map(({ partition }) => partition);
  }

  start(): void {
    this.#options.peers.receive({
      prepare: (partition) => this.#seatOf(partition).warmUp(),
      take: (partition, handed) => this.#seatOf(partition).take(handed),
    });
    for (const seat of this.#seats) seat.start();
    this.#balancing = setInterval(() => void this.#balance(), BALANCE_MS);
  }

  /** Hands all partitions to other engines that are ready in time. */
  async close(): Promise<void> {
    clearInterval(this.#balancing);
    this.#isLeaving = true;
    await this.#options.peers.retire();
    const leaving = new AbortController();
    const late = setTimeout(() => leaving.abort(), LEAVE_MS);
    const count = this.owned.length;
    await this.#handAllOver(leaving.signal);
    clearTimeout(late);
    if (count > this.owned.length) await sleep(LINGER_MS);
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }

  /** Retries as long as there is another engine: one that has just started, or whose link was cut, may accept a moment later. */
  async #handAllOver(signal: AbortSignal): Promise<void> {
    for (;;) {
      const owned = this.#seats.filter(({ isOwned }) => isOwned);
      const others = this.#options.peers.successors();
      if (owned.length === 0 || others.length === 0 || signal.aborted) return;
      await Promise.race([this.#offer(owned, others), untilAborted(signal)]);
      await sleep(OFFER_AGAIN_MS);
    }
  }

  /**
   * Prepares all partitions before handing over the first: a successor that is still reading another partition could not take one at once,
   * and its callers would wait.
   */
  async #offer(owned: readonly PartitionSeat[], others: readonly Successor[]): Promise<void> {
    const taken = new Map(owned.map((seat, index) => [seat, others[index % others.length]!]));
    const ready: PartitionSeat[] = [];
    await inGroups([...taken], async ([seat, successor]) => {
      const isReady = await this.#tried(seat, successor, () => seat.prepare(successor));
      if (isReady) ready.push(seat);
    });
    await inGroups(ready, async (seat) => {
      const successor = taken.get(seat)!;
      await this.#tried(seat, successor, () => seat.handOver(successor));
    });
  }

  get #share(): number {
    const { partitions, peers } = this.#options;
    return Math.ceil(partitions.length / Math.max(1, peers.engineCount()));
  }

  /** Hands over one partition at a time, from the end of the list, so that control moves last. */
  async #balance(): Promise<void> {
    const owned = this.#seats.filter(({ isOwned }) => isOwned);
    const [seat] = owned.slice(this.#share).slice(-1);
    const [successor] = this.#options.peers.successors();
    if (seat === undefined || successor === undefined) return;
    if (this.#isMoving || performance.now() < this.#notBeforeMs) return;
    this.#isMoving = true;
    await this.#tried(seat, successor, () => seat.handOver(successor));
    this.#isMoving = false;
  }

  /** Returns whether the work succeeded. A partition that the successor cannot take stays here and is offered again. */
  async #tried({ partition }: PartitionSeat, { address }: Successor, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#notBeforeMs = performance.now() + this.#options.leaseMs;
      this.#options.log.warn({ partition, error: String(error) }, `${address} could not take it over`);
      return false;
    }
  }

  #seatOf(partition: string): PartitionSeat {
    const found = this.#seats.find((seat) => seat.partition === partition);
    if (found === undefined) throw new Error(`${partition} is no partition of engines`);
    return found;
  }

  /**
   * Whether this node should take a free partition: as part of its share, or because nobody else did. A killed engine that restarts counts
   * towards the shares long before it can take anything.
   */
  #wanting(partition: string): () => Promise<boolean> {
    let freeSinceMs: number | undefined;
    return async () => {
      const { peers } = this.#options;
      const isFree = !this.#isLeaving && !peers.isOutvoted() && (await peers.isFree(partition));
      freeSinceMs = isFree ? (freeSinceMs ?? performance.now()) : undefined;
      if (freeSinceMs === undefined) return false;
      return this.owned.length < this.#share || performance.now() - freeSinceMs > OVERDUE_MS;
    };
  }

  #createSeat(partition: string): PartitionSeat {
    const { peers, address, leaseMs, dataDir, files, nowMs, log } = this.#options;
    return new PartitionSeat({
      owners: peers,
      partition,
      address,
      leaseMs,
      dataDir,
      files,
      nowMs,
      isWanted: this.#wanting(partition),
      prepare: (opened) => (partition === 'control' ? this.#openControl(opened) : this.#openMarkets(opened)),
      onChange: (message) => log.info({ partition }, message),
      onHalted: (error) =>
        log.error(
          { partition, error: String(error) },
          'partition halted: acknowledged records are missing from the database; looking for the right one',
        ),
    });
  }

  async #openMarkets(log: PartitionLog): Promise<Tenant> {
    const { nowMs, onDecided, peers } = this.#options;
    const host = await Host.follow({ log, nowMs, onDecided, ...this.#checkpoints, onWarning: this.#onWarning });
    return {
      start: () => {
        host.lead();
        host.start();
        peers.serve({ log, host });
      },
      drain: async () => {
        await peers.hold(log.partition);
        await host.stop();
      },
      close: async (next) => {
        peers.giveUp(log.partition, next);
        await (next === undefined ? host.close() : host.stop());
      },
    };
  }

  /** Serves the control partition, the only place that decides whether a token was used: of two gateways that ask, one is refused. */
  async #openControl(log: PartitionLog): Promise<Tenant> {
    const { peers, onControl } = this.#options;
    const create = () => new ControlState();
    const state = await PartitionState.open({ log, create, ...this.#checkpoints, onWarning: this.#onWarning });
    const tokens = new UsedTokens();
    followRecords(log, state.fold.records(), [tokens]);
    return {
      start: () => {
        peers.serve({ log, accept: (record) => tokens.accept(record) });
        onControl(true);
      },
      drain: async () => {
        onControl(false);
        await peers.hold(log.partition);
        await log.flushed();
      },
      close: async (next) => {
        onControl(false);
        peers.giveUp(log.partition, next);
        if (next === undefined) await state.close();
      },
    };
  }

  get #checkpoints(): Pick<EngineSeatsOptions, 'checkpointEvery'> {
    const { checkpointEvery } = this.#options;
    return checkpointEvery === undefined ? {} : { checkpointEvery };
  }

  readonly #onWarning = (message: string): void => this.#options.log.warn({}, message);
}

/** Resolves when all items are done; runs `AT_ONCE` at a time. */
async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
