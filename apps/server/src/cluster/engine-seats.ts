// The partitions of an engine: what is free is taken, up to this node's share of them; what is beyond it is handed to engines that join.

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
import type { FollowedOwners, Tenant } from './ports.ts';

type EnginePeers = FollowedOwners &
  Pick<Cluster, 'engineCount' | 'isFree' | 'serve' | 'hold' | 'giveUp' | 'successors' | 'receive' | 'retire'>;

export interface EngineSeatsOptions {
  /** The other nodes, for sharing partitions with them. */
  readonly peers: EnginePeers;
  readonly address: string;
  readonly leaseMs: number;
  readonly dataDir: string;
  /** Another disk than the machine's, for the simulator. */
  readonly files?: JournalFiles | undefined;
  /** Records between two checkpoints of a partition. */
  readonly checkpointEvery?: number;
  /** The partitions of engines, control first. */
  readonly partitions: readonly string[];
  readonly nowMs: () => number;
  readonly onDecided: (seconds: number) => void;
  /** This node has become, or is no longer, the owner of the control partition. */
  readonly onControl: (isOwned: boolean) => void;
  readonly log: Log;
}

const BALANCE_MS = 250;
/** A stopping engine waits this long for successors, then gives up the remaining partitions. */
const LEAVE_MS = 5_000;

export class EngineSeats {
  readonly #options: EngineSeatsOptions;
  readonly #seats: readonly PartitionSeat[];
  #balancing: NodeJS.Timeout | undefined;
  #isMoving = false;
  /** No move before it: the cause of a failed one seldom ends at once. */
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
    const { peers } = this.#options;
    await peers.retire();
    const late = new AbortController();
    await Promise.race([this.#handAllOver(), sleep(LEAVE_MS, late.signal).catch(() => undefined)]);
    late.abort();
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }

  async #handAllOver(): Promise<void> {
    const others = this.#options.peers.successors();
    if (others.length === 0) return;
    const owned = this.#seats.filter(({ isOwned }) => isOwned);
    await Promise.all(owned.map((seat, index) => this.#handOver(seat, others[index % others.length]!)));
  }

  get #share(): number {
    const { partitions, peers } = this.#options;
    return Math.ceil(partitions.length / Math.max(1, peers.engineCount()));
  }

  /** One at a time, the last first: the control partition moves last. */
  async #balance(): Promise<void> {
    const owned = this.#seats.filter(({ isOwned }) => isOwned);
    const [seat] = owned.slice(this.#share).slice(-1);
    const [successor] = this.#options.peers.successors();
    if (seat === undefined || successor === undefined) return;
    if (this.#isMoving || performance.now() < this.#notBeforeMs) return;
    this.#isMoving = true;
    await this.#handOver(seat, successor);
    this.#isMoving = false;
  }

  /** A partition that the other cannot take stays here, and is tried again. */
  async #handOver(seat: PartitionSeat, successor: Successor): Promise<void> {
    const { partition } = seat;
    const onFailure = (error: unknown) => {
      this.#notBeforeMs = performance.now() + this.#options.leaseMs;
      this.#options.log.warn({ partition, error: String(error) }, `${successor.address} could not take it over`);
    };
    await seat.handOver(successor).catch(onFailure);
  }

  #seatOf(partition: string): PartitionSeat {
    const found = this.#seats.find((seat) => seat.partition === partition);
    if (found === undefined) throw new Error(`${partition} is no partition of engines`);
    return found;
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
      isWanted: async () => this.owned.length < this.#share && (await peers.isFree(partition)),
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

  /** The one place that decides whether a token was used: of two gateways that ask, one is refused. */
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
