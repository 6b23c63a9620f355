// The partitions of an engine: what is free is taken, up to this node's share of them; what is beyond it is handed to engines that join.
import type { JournalDatabase } from '@presage/journal';
import { type JournalRecord, LIMITS, PresageError } from '@presage/protocol';
import { ControlState } from './control-state.ts';
import { Host } from './host.ts';
import type { PartitionLog } from './partition-log.ts';
import { PartitionSeat, type Tenant } from './partition-seat.ts';
import { PartitionState } from './partition-state.ts';
import type { OwnedPartition } from './ports.ts';

/** The other nodes, as far as sharing is concerned. */
export interface EnginePeers {
  readonly database: JournalDatabase;
  /** How many engines live, this one among them. */
  engineCount(): number;
  /** Looks now whether nobody has it. */
  isFree(partition: string): Promise<boolean>;
  serve(owned: OwnedPartition): void;
  giveUp(partition: string): void;
}

export interface EngineSeatsOptions {
  readonly peers: EnginePeers;
  readonly address: string;
  readonly leaseMs: number;
  readonly dataDir: string;
  /** Those that engines own, control first. */
  readonly partitions: readonly string[];
  readonly nowMs: () => number;
  readonly onDecided: (seconds: number) => void;
  /** This node has become, or is no longer, the owner of the control partition. */
  readonly onControl: (isOwned: boolean) => void;
  readonly log: SeatLog;
}

interface SeatLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

const BALANCE_MS = 250;
const CHECKPOINT_EVERY = 1_000;

export class EngineSeats {
  readonly #options: EngineSeatsOptions;
  readonly #seats: readonly PartitionSeat[];
  #balancing: NodeJS.Timeout | undefined;

  constructor(options: EngineSeatsOptions) {
    this.#options = options;
    this.#seats = options.partitions.map((partition) => this.#createSeat(partition));
  }

  get owned(): string[] {
    return this.#seats.filter(({ isOwned }) => isOwned).map(({ partition }) => partition);
  }

  start(): void {
    for (const seat of this.#seats) seat.start();
    this.#balancing = setInterval(() => this.#balance(), BALANCE_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#balancing);
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }

  get #share(): number {
    const { partitions, peers } = this.#options;
    return Math.ceil(partitions.length / Math.max(1, peers.engineCount()));
  }

  /** One at a time, the last first: the control partition moves last. */
  #balance(): void {
    const owned = this.#seats.filter(({ isOwned }) => isOwned);
    if (owned.length > this.#share) owned.at(-1)?.giveUp();
  }

  #createSeat(partition: string): PartitionSeat {
    const { peers, address, leaseMs, dataDir, nowMs, log } = this.#options;
    return new PartitionSeat({
      database: peers.database,
      partition,
      address,
      leaseMs,
      dataDir,
      nowMs,
      isWanted: async () => this.owned.length < this.#share && (await peers.isFree(partition)),
      serve: (opened) => (partition === 'control' ? this.#serveControl(opened) : this.#serveMarkets(opened)),
      onChange: (message) => log.info({ partition }, message),
      onHalted: (error) =>
        log.error({ partition, error: String(error) }, 'the partition is halted: what was acknowledged is not there'),
    });
  }

  async #serveMarkets(log: PartitionLog): Promise<Tenant> {
    const { nowMs, onDecided, peers } = this.#options;
    const host = await Host.open({ log, nowMs, onDecided, onWarning: this.#onWarning });
    host.start();
    peers.serve({ log, host });
    return {
      close: async () => {
        peers.giveUp(log.partition);
        await host.close();
      },
    };
  }

  /** The one place that says whether a token was used: of two gateways that ask, one is refused. */
  async #serveControl(log: PartitionLog): Promise<Tenant> {
    const { peers, onControl } = this.#options;
    const create = () => new ControlState();
    const options = { log, create, checkpointEvery: CHECKPOINT_EVERY, onWarning: this.#onWarning };
    const state = await PartitionState.open(options);
    const tokens = new Map<string, number>();
    for (const record of state.fold.records()) takeToken(tokens, record);
    log.subscribe(({ records }) => {
      for (const record of records) takeToken(tokens, record);
    });
    peers.serve({ log, accept: (record) => refuseUsed(tokens, record) });
    onControl(true);
    return {
      close: async () => {
        onControl(false);
        peers.giveUp(log.partition);
        await state.close();
      },
    };
  }

  readonly #onWarning = (message: string): void => this.#options.log.warn({}, message);
}

/** By key and nonce, when they were issued. */
type Tokens = Map<string, number>;

/** Swept when it has doubled: older ones are refused for their age. */
const SWEEP_FROM = 100_000;

function takeToken(tokens: Tokens, record: JournalRecord): boolean {
  if (record.type !== 'token-used') return true;
  const name = `${record.keyId} ${record.nonce}`;
  if (tokens.has(name)) return false;
  tokens.set(name, record.issuedAt);
  if (tokens.size > SWEEP_FROM) sweep(tokens, Math.floor(record.timeMs / 1_000));
  return true;
}

function sweep(tokens: Tokens, nowSeconds: number): void {
  for (const [name, issuedAt] of tokens) {
    if (issuedAt + LIMITS.tokenMemorySeconds < nowSeconds) tokens.delete(name);
  }
}

/** Taken at once, so that of two that wait for the disk together only one passes. */
function refuseUsed(tokens: Tokens, record: JournalRecord): void {
  if (!takeToken(tokens, record)) throw new PresageError('token_already_used');
}
