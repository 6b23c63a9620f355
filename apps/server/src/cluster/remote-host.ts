// Host of a partition of markets that another node owns: sends commands there, and answers reads from durable frames.
import type { Engine } from '@presage/engine';
import type { FrameRef } from '@presage/journal';
import { type EngineOutput, type JournalRecord, PresageError } from '@presage/protocol';
import { type RecoverReadsOptions, recoverReads } from '../host/host.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import type { AtomicOutcome, Decided, HostCommand, NotedRecord, PartitionHost, PlaceCommand } from '../host/ports.ts';
import type { Asked, AskOwner, AtomicOutcomeAt, DecidedAt, OutputsAt } from './ports.ts';

export interface RemoteHostOptions extends RecoverReadsOptions {
  readonly ask: AskOwner;
  /** Called at the start: new frames are followed from then on. */
  readonly onStart: () => void;
}

export class RemoteHost implements PartitionHost {
  readonly isElsewhere = true;
  readonly reads: Engine;
  readonly #options: RemoteHostOptions;

  private constructor(options: RemoteHostOptions, reads: Engine) {
    this.#options = options;
    this.reads = reads;
  }

  /** All followers must subscribe before `start`. */
  static async open(options: RemoteHostOptions): Promise<RemoteHost> {
    return new RemoteHost(options, await recoverReads(options));
  }

  get partition(): string {
    return this.#options.log.partition;
  }

  get durableSeq(): number {
    return this.#options.log.lastSeq;
  }

  async run(command: HostCommand): Promise<Decided> {
    return this.#asShown(await this.#ask<DecidedAt>('run', { command }));
  }

  async runWhole(command: HostCommand): Promise<Decided> {
    return this.#asShown(await this.#ask<DecidedAt>('run-whole', { command }));
  }

  async runAtomic(commands: readonly PlaceCommand[]): Promise<AtomicOutcome> {
    const answer = await this.#ask<AtomicOutcomeAt>('run-atomic', { commands });
    if (answer.outcome === 'refused') return answer;
    return { outcome: 'placed', decided: answer.decided.map((each) => this.#asShown(each)) };
  }

  async submit(command: HostCommand): Promise<readonly EngineOutput[]> {
    return (await this.run(command)).outputs;
  }

  async submitAll(commands: readonly HostCommand[]): Promise<readonly EngineOutput[]> {
    return (await this.#ask<OutputsAt>('run-all', { commands })).outputs;
  }

  note(...records: readonly NotedRecord[]): Promise<FrameRef> {
    return this.#options.log.append(records);
  }

  start(): void {
    this.#options.onStart();
  }

  async close(): Promise<void> {
    return undefined;
  }

  /** Replaces the seal by the one shown here: all results of one frame share one object, by which its receipt is found. */
  #asShown({ outputs, firstSeq, frame }: Decided): Decided {
    return { outputs, firstSeq, frame: frame && this.#options.log.shownSeal(frame) };
  }

  /** Resolves when reads on this node show the outcome. */
  async #ask<T extends { readonly durableSeq: number }>(method: Asked['method'], body: object): Promise<T> {
    const { log, ask } = this.#options;
    const answer = await ask<T>({ partition: log.partition, method, body, appliedSeq: log.lastSeq });
    await untilShown(log, answer.durableSeq);
    return answer;
  }
}

/** Returns a function that appends to a partition of another node. */
export function forwardTo(partition: string, ask: AskOwner, log: () => PartitionLog) {
  return async (records: readonly JournalRecord[]): Promise<FrameRef> => {
    const appliedSeq = log().lastSeq;
    const written = await ask<FrameRef>({ partition, method: 'append', body: { records }, appliedSeq });
    await untilShown(log(), written.lastSeq);
    return written;
  };
}

/**
 * Longest wait until an outcome is shown here. A node that loses the journal right after its call answers as if it had found no owner: the
 * caller repeats the request, and it is not carried out twice.
 */
const SHOWN_MS = 15_000;

async function untilShown(log: PartitionLog, seq: number): Promise<void> {
  if (!(await log.reachedWithin(seq, SHOWN_MS))) throw new PresageError('partition_unavailable');
}
