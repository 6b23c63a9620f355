// The single writer of one partition: takes commands in turn, lets the engine decide, and answers when the frame is durable.
import { randomInt } from 'node:crypto';
import { Engine, type EngineOptions, EventBytes } from '@presage/engine';
import { type Checkpoint, type FrameRef, trimFrame, visitRecords } from '@presage/journal';
import {
  decodeRecord,
  type EngineEvent,
  type EngineOutput,
  isEngineEvent,
  isJournalled,
  type JournalRecord,
} from '@presage/protocol';
import { toState, toStateBetweenWork } from './checkpoint-state.ts';
import type { Encoded } from './journal-writer.ts';
import { MemoryKeeper, restoreMemory } from './memory-keeper.ts';
import type { DurableBatch, PartitionLog } from './partition-log.ts';
import type {
  AtomicOutcome,
  Decided,
  HostCommand,
  HostOptions,
  NotedRecord,
  PartitionHost,
  PlaceCommand,
} from './ports.ts';

/** Records between checkpoints: a restart replays them in well under a second, and writing the state that rarely costs nothing. */
const CHECKPOINT_EVERY = 100_000;
/** Above this number of orders, checkpoints become rarer in proportion, so that their cost per record stays the same. */
const CHECKPOINT_ORDERS = 50_000;
const TICK_MS = 250;
const PROGRESS_EVERY = 50_000;

/** State of a frame that several commands are written in together. */
interface SharedFrame {
  isBegun: boolean;
}

export class Host implements PartitionHost {
  readonly isElsewhere = false;
  readonly #log: PartitionLog;
  readonly #nowMs: () => number;
  readonly #engineOptions: EngineOptions;
  /** Engine that decides, ahead of the disk. */
  #engine: Engine;
  /** Bytes of the events of the last decision. */
  readonly #events = new EventBytes();
  readonly #follower: Engine;
  readonly #checkpointEvery: number;
  readonly #onWarning: (message: string) => void;
  readonly #onDecided: ((seconds: number) => void) | undefined;
  #lastTimeMs = 0;
  /** While another node decides, both engines follow its frames. */
  #isFollowing: boolean;
  /** Whether the last command filled a step to its limit, so that more may be left to do. */
  #wasFull = false;
  #appliedSeq: number;
  #checkpointSeq: number;
  #ticker: NodeJS.Timeout | undefined;
  #checkpointing: Promise<void> = Promise.resolve();
  #isCheckpointing = false;
  readonly #memory: MemoryKeeper;

  private constructor(options: HostOptions, recovered: Recovered, isFollowing = false) {
    this.#isFollowing = isFollowing;
    this.#log = options.log;
    this.#nowMs = options.nowMs;
    this.#engineOptions = toEngineOptions(options.engine);
    this.#engine = recovered.engine;
    this.#follower = recovered.follower;
    this.#checkpointEvery = options.checkpointEvery ?? CHECKPOINT_EVERY;
    this.#onWarning = options.onWarning ?? (() => undefined);
    this.#onDecided = options.onDecided;
    this.#appliedSeq = options.log.lastSeq;
    this.#checkpointSeq = recovered.checkpointSeq;
    const { log, imageEvery } = options;
    this.#memory = new MemoryKeeper({ log, imageEvery, imageSeq: recovered.imageSeq, onWarning: this.#onWarning });
    this.#lastTimeMs = this.#knownTimeMs();
    this.#log.subscribe((batch, bytes) => {
      if (this.#isFollowing) applyBatch(this.#engine, batch, bytes);
      applyToReads(this.#follower, batch, bytes);
    });
    this.#log.onReopened(() => this.#rollBack());
  }

  /** Recovers from the newest checkpoint and the records after it; the state hash of the checkpoint is verified first. */
  static async open(options: HostOptions): Promise<Host> {
    return new Host(options, await recover(options));
  }

  /** Opens a host that only follows, for a partition that this node is to own next, until `lead`. */
  static async follow(options: HostOptions): Promise<Host> {
    return new Host(options, await recover(options), true);
  }

  /** Starts deciding here, after everything that was followed. */
  lead(): void {
    this.#isFollowing = false;
    this.#appliedSeq = this.#log.lastSeq;
    this.#lastTimeMs = this.#knownTimeMs();
  }

  get partition(): string {
    return this.#log.partition;
  }

  get reads(): Engine {
    return this.#follower;
  }

  start(): void {
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  async submit(command: HostCommand): Promise<readonly EngineOutput[]> {
    return (await this.run(command)).outputs;
  }

  async runWhole(command: HostCommand): Promise<Decided> {
    const parts = [this.run(command)];
    while (this.#wasFull) parts.push(this.run(command));
    const [first, ...more] = await Promise.all(parts);
    return { ...first!, outputs: [...first!.outputs, ...more.flatMap(({ outputs }) => outputs)] };
  }

  async runAtomic(commands: readonly PlaceCommand[]): Promise<AtomicOutcome> {
    this.#log.assertWritable();
    // All orders get one time: one that expired between the trial and its placing would be missing from the batch.
    const timeMs = this.#stamp();
    const trial = this.#engine.tryAll(commands.map((command) => stampWith(command, timeMs)));
    if (trial.outcome === 'refused') {
      await this.#log.flushed();
      return trial;
    }
    const frame = { isBegun: false };
    const decided = await Promise.all(commands.map((command) => this.#carryOut(command, timeMs, frame)));
    return { outcome: 'placed', decided };
  }

  run(command: HostCommand): Promise<Decided> {
    return this.#carryOut(command, this.#stamp());
  }

  async #carryOut(command: HostCommand, timeMs: number, inFrame?: SharedFrame): Promise<Decided> {
    // Reset first: if this command throws, `runWhole` must not see the state of the one before.
    this.#wasFull = false;
    this.#log.assertWritable();
    const firstSeq = this.#appliedSeq + 1;
    const outputs = this.#decide(command, firstSeq, timeMs);
    // Nearly always all outputs are events: then the caller and the followers share one list.
    const events = outputs.every(isJournalled) ? outputs : outputs.filter(isJournalled);
    if (events.length === 0) {
      await this.#log.flushed();
      return { outputs, firstSeq, frame: undefined };
    }
    const { frame } = await this.#appendSteps(events, this.#events.takeAll(), inFrame);
    return { outputs, firstSeq, frame };
  }

  /** Writes one frame, but followers are shown each command separately: the stream reads the state after every step. */
  async submitAll(commands: readonly HostCommand[]): Promise<readonly EngineOutput[]> {
    const frame = { isBegun: false };
    const decided = await Promise.all(commands.map((command) => this.#carryOut(command, this.#stamp(), frame)));
    return decided.flatMap(({ outputs }) => outputs);
  }

  async note(...records: readonly NotedRecord[]): Promise<FrameRef> {
    this.#log.assertWritable();
    return this.#append(records);
  }

  get durableSeq(): number {
    return this.#log.lastSeq;
  }

  /** Stops the ticks; resolves when everything decided is durable or has failed. */
  async stop(): Promise<void> {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    await this.#log.settled();
  }

  async close(): Promise<void> {
    await this.stop();
    this.#scheduleCheckpoint();
    await this.#checkpointing;
    await this.#memory.close(this.#engine, this.#appliedSeq);
  }

  #decide(command: HostCommand, firstSeq: number, timeMs: number): readonly EngineOutput[] {
    const startMs = performance.now();
    const outputs = this.#engine.apply(stampWith(command, timeMs), firstSeq, this.#events);
    this.#wasFull = this.#engine.isFull(outputs);
    this.#onDecided?.((performance.now() - startMs) / 1_000);
    return outputs;
  }

  /** Splits a tick over many markets into several frames of whole steps: after a kill between two, the next tick finds the rest. */
  #appendSteps(events: readonly EngineEvent[], encoded: Encoded, inFrame?: SharedFrame): Promise<FrameRef> {
    if (!this.#engine.isFull(events)) return this.#append(events, encoded, inFrame);
    const parts = [...this.#wholeSteps(events)].map((steps) => this.#append(steps, undefined, inFrame));
    return Promise.all(parts).then(([first]) => first!);
  }

  *#wholeSteps(events: readonly EngineEvent[]): Generator<EngineEvent[]> {
    let steps: EngineEvent[] = [];
    for (const [index, event] of events.entries()) {
      const previous = events[index - 1];
      const isNewStep = previous?.marketId !== event.marketId || previous.step !== event.step;
      if (isNewStep && this.#engine.isFull(steps)) {
        yield steps;
        steps = [];
      }
      steps.push(event);
    }
    yield steps;
  }

  #append(records: readonly JournalRecord[], encoded?: Encoded, inFrame?: SharedFrame): Promise<FrameRef> {
    this.#appliedSeq += records.length;
    const durable = this.#log.append(records, encoded, inFrame?.isBegun);
    if (inFrame !== undefined) inFrame.isBegun = true;
    if (this.#isCheckpointDue()) this.#scheduleCheckpoint();
    this.#memory.keepIfDue(this.#engine, this.#appliedSeq);
    return durable;
  }

  #isCheckpointDue(): boolean {
    const records = this.#appliedSeq - this.#checkpointSeq;
    if (this.#isCheckpointing || records < this.#checkpointEvery) return false;
    return records >= (this.#checkpointEvery * this.#engine.rememberedOrders) / CHECKPOINT_ORDERS;
  }

  /** Takes the state now, at the sequence just applied, and writes it when that sequence is durable. */
  #scheduleCheckpoint(): void {
    const seq = this.#appliedSeq;
    if (seq === this.#checkpointSeq) return;
    this.#checkpointSeq = seq;
    this.#isCheckpointing = true;
    const taken = this.#engine.takeCheckpoint();
    // Called now: later it would also resolve for a state that was rolled back.
    const durable = this.#log.flushed();
    durable.catch(() => undefined);
    this.#checkpointing = this.#checkpointing
      .then(() => toStateBetweenWork(taken.lines()))
      .finally(() => taken.giveBack())
      .then(async (state) => {
        await durable;
        return state;
      })
      .then(({ body, stateHash }) => this.#log.writeCheckpoint({ seq, stateHash, body }))
      .catch((error: unknown) => this.#onWarning(`checkpoint at ${seq} was not written: ${String(error)}`))
      .then(() => {
        this.#isCheckpointing = false;
      });
  }

  /** Returns to the durable state; everything decided beyond it has been refused. */
  #rollBack(): void {
    this.#engine.discard();
    this.#engine = this.#follower.copy(this.#engineOptions);
    this.#appliedSeq = this.#log.lastSeq;
    this.#checkpointSeq = Math.min(this.#checkpointSeq, this.#appliedSeq);
    this.#memory.rollBack(this.#appliedSeq);
  }

  /** Submits a tick only if something is due: an idle exchange decides nothing. */
  #tick(): void {
    if (this.#ticker === undefined) return;
    if (!this.#engine.isTickDue(Math.max(this.#lastTimeMs, this.#nowMs()))) return;
    // What did not fit goes into another tick at once, after commands that came in the meantime. After a failed write the next tick finds it due again.
    this.submit({ type: 'tick' })
      .then((outputs) => this.#engine.isFull(outputs) && this.#tick())
      .catch(() => undefined);
  }

  /** Latest known time. An event may be later than its frame: if the clock was set back in between, the frame has the clock's time. */
  #knownTimeMs(): number {
    return Math.max(this.#log.lastTimeMs, this.#engine.timeMs);
  }

  /** Time of the next command. Never goes backwards, since expiry is judged by journal time. */
  #stamp(): number {
    this.#lastTimeMs = Math.max(this.#lastTimeMs, this.#nowMs());
    return this.#lastTimeMs;
  }
}

function stampWith<C extends HostCommand>(command: C, timeMs: number): C & { timeMs: number } {
  command.timeMs = timeMs;
  return command as C & { timeMs: number }; // set just now
}

function applyBatch(engine: Engine, { firstSeq, records }: DurableBatch, bytes: readonly Uint8Array[]): void {
  for (const [index, record] of records.entries()) {
    if (engine.evolveBytes(bytes[index]!, firstSeq + index)) continue;
    if (isEngineEvent(record)) engine.evolve(record, firstSeq + index);
  }
}

/** Runs before any other follower sees the batch. A command fails at most one trade, and does so first. */
function applyToReads(reads: Engine, batch: DurableBatch, bytes: readonly Uint8Array[]): void {
  const failed = batch.records.find((record) => record.type === 'trade-failed');
  if (failed !== undefined) batch.failedTrade = reads.trade(failed.marketId, failed.tradeId);
  applyBatch(reads, batch, bytes);
}

interface Recovered {
  readonly engine: Engine;
  readonly follower: Engine;
  readonly checkpointSeq: number;
  /** 0 if no image of memory was read. */
  readonly imageSeq: number;
}

/** Differs at each start; nothing that is written or answered depends on it. */
const PLACES_SEED = randomInt(2 ** 32);

function toEngineOptions(settings: EngineOptions | undefined): EngineOptions {
  return { placesSeed: PLACES_SEED, ...settings };
}

async function recover(options: HostOptions): Promise<Recovered> {
  const { engine, ...found } = await replay(options, assertRestored);
  // One engine reads the history, the other is its copy: takes half the time, and both share one object per order.
  return { engine, follower: engine.copy(toEngineOptions(options.engine)), ...found };
}

/** Recovers the read-only engine of a partition owned by another node. No batch may be shown meanwhile. */
export async function recoverReads({ log, onWarning, engine }: RecoverReadsOptions): Promise<Engine> {
  const { engine: reads } = await replay({ log, ...(onWarning && { onWarning }), ...(engine && { engine }) });
  log.subscribe((batch, bytes) => applyToReads(reads, batch, bytes));
  return reads;
}

async function replay(
  { log, onProgress, onWarning, engine: settings }: Omit<HostOptions, 'nowMs'>,
  check?: (restored: Engine, found: Checkpoint) => void,
): Promise<Omit<Recovered, 'follower'>> {
  const options = toEngineOptions(settings);
  const restored =
    (await restoreMemory(log, options, onWarning)) ?? (await restoreCheckpoint({ log, onWarning, check, options }));
  const { engine, imageSeq, checkpointSeq } = restored;
  const fromSeq = Math.max(imageSeq, checkpointSeq) + 1;
  for await (const whole of log.readFrames(fromSeq)) {
    const { firstSeq, lastSeq } = whole;
    visitRecords(trimFrame(whole, fromSeq), (bytes, seq, start, end) => evolveRecord(engine, bytes, seq, start, end));
    if (lastSeq % PROGRESS_EVERY <= lastSeq - firstSeq) {
      onProgress?.({ done: lastSeq + 1 - fromSeq, total: log.lastSeq + 1 - fromSeq });
    }
  }
  return { engine, checkpointSeq, imageSeq };
}

/** About every second record is an order. */
const RECORDS_AN_ORDER = 2;
const MOST_ORDERS_AHEAD = 500_000;

/** Number of orders to allocate memory for before a replay: an empty engine that grows copies its memory again and again. A short history needs none. */
function toOrdersAhead({ lastSeq }: PartitionLog): number {
  return lastSeq < CHECKPOINT_EVERY ? 0 : Math.min(Math.ceil(lastSeq / RECORDS_AN_ORDER), MOST_ORDERS_AHEAD);
}

interface RestoreCheckpointOptions extends Pick<HostOptions, 'log'> {
  readonly onWarning: HostOptions['onWarning'];
  readonly options: EngineOptions;
  readonly check: ((restored: Engine, found: Checkpoint) => void) | undefined;
}

/** Restores the newest checkpoint, or creates an empty engine. */
async function restoreCheckpoint(given: RestoreCheckpointOptions): Promise<Omit<Recovered, 'follower'>> {
  const { log, onWarning, check, options } = given;
  const { checkpoint: found, damaged } = await log.readCheckpoint();
  for (const message of damaged) onWarning?.(message);
  const restored = found && restoreOrSay(found, options, onWarning);
  if (found === undefined || restored === undefined) {
    const engine = new Engine({ ...options, ordersAhead: toOrdersAhead(log) });
    return { engine, checkpointSeq: 0, imageSeq: 0 };
  }
  check?.(restored, found);
  return { engine: restored, checkpointSeq: found.seq, imageSeq: 0 };
}

/** Applies a record; decodes only the few types that the engine cannot read as bytes. */
function evolveRecord(engine: Engine, bytes: Uint8Array, seq: number, start: number, end: number): void {
  if (engine.evolveBytes(bytes, seq, start, end)) return;
  const record = decodeRecord(bytes.subarray(start, end));
  if (isEngineEvent(record)) engine.evolve(record, seq);
}

export type RecoverReadsOptions = Pick<HostOptions, 'log' | 'onWarning' | 'engine'>;

function linesOf({ body }: Checkpoint): string[] {
  return new TextDecoder()
    .decode(body)
    .split('\n')
    .filter((line) => line !== '');
}

/** Restores a checkpoint; undefined if this version cannot read it, such as one of an earlier version: the journal has everything. */
function restoreOrSay(
  checkpoint: Checkpoint,
  options: EngineOptions,
  onWarning: HostOptions['onWarning'],
): Engine | undefined {
  try {
    return Engine.restore(linesOf(checkpoint), options);
  } catch (error) {
    onWarning?.(`the checkpoint at ${checkpoint.seq} is passed over, the journal is replayed: ${String(error)}`);
    return undefined;
  }
}

/** Checks that the restored state serializes to the bytes that it was restored from: a program that reads them differently fails here. */
function assertRestored(engine: Engine, { stateHash, seq }: Checkpoint): void {
  const restored = toState(engine.checkpointLines()).stateHash;
  if (restored === stateHash) return;
  throw new Error(
    `the checkpoint at sequence ${seq} restores to state ${restored}, not ${stateHash}: ` +
      'move the checkpoint files elsewhere and start again to replay the whole journal',
  );
}
