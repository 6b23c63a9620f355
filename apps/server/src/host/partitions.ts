// The partitions of the journal on this node: opened if it owns them, followed if another node does.
import { FailedWrites } from './failed-writes.ts';
import { Host } from './host.ts';
import { type JournalBody, type JournalPlace, openJournalBody, type PartitionExtras } from './journal-body.ts';
import type { JournalFaults } from './journal-faults.ts';
import type { AfterFailure } from './journal-writer.ts';
import { PartitionLog, type PartitionLogOptions } from './partition-log.ts';
import { PartitionState, type RecordFold } from './partition-state.ts';
import type { HostOptions, OtherNodes, OthersPartition, PartitionHost } from './ports.ts';

export interface PartitionsOptions extends Pick<PartitionLogOptions, 'nowMs' | 'onFatal' | 'onDurable'>, JournalPlace {
  /** Called with progress to show to the user who waits. */
  readonly onProgress: (step: string) => void;
  /** Called with the reason when this node waits for a partition. */
  readonly onStandBy?: (reason: string) => void;
  readonly onWarning: (message: string) => void;
  /** Notified when a write of a partition of this node failed, and when all can be written again. */
  readonly faults?: Pick<JournalFaults, 'note'>;
  /** Called when the database has another history than this node has read. Set on settlers, which end and start over from it. */
  readonly onDiffers?: ((error: unknown) => void) | undefined;
  /** Undefined for a single node, which owns every partition. */
  readonly others?: OtherNodes | undefined;
  /** Records between two checkpoints of a partition's state. */
  readonly checkpointEvery?: number;
  /** Aborted at shutdown; ends the wait for a partition. */
  readonly signal?: AbortSignal | undefined;
}

export class Partitions {
  readonly #options: PartitionsOptions;
  readonly #body: JournalBody;
  /** Followed partitions of other nodes; one whose state is kept starts following as soon as that state is recovered. */
  readonly #followed: Map<PartitionLog, OthersPartition>;
  readonly #opened: PartitionLog[] = [];
  readonly #states: { close(): Promise<void> }[] = [];
  readonly #failedWrites = new FailedWrites();

  private constructor(options: PartitionsOptions, body: JournalBody, followed: Map<PartitionLog, OthersPartition>) {
    this.#options = options;
    this.#body = body;
    this.#followed = followed;
  }

  static async connect(options: PartitionsOptions): Promise<Partitions> {
    const { others, onProgress } = options;
    const followed = new Map<PartitionLog, OthersPartition>();
    const body = await openJournalBody({
      onStandBy: (reason) => onProgress(`standing by: ${reason}`),
      ...options,
      // In a cluster there is a connection to the database already.
      ...(others && {
        openDatabase: async () => ({ database: others.database, warnings: [], close: async () => undefined }),
      }),
      assertSame: () => {
        for (const each of followed.values()) each.assertSame();
      },
    });
    return new Partitions(options, body, followed);
  }

  async open(partition: string, afterFailure: AfterFailure, extras?: PartitionExtras): Promise<PartitionLog> {
    const { others, nowMs, onFatal, onDurable, onWarning, onDiffers } = this.#options;
    if (others !== undefined && !others.owns(partition)) {
      const other = await others.follow(partition, { onFatal, onWarning, onDiffers });
      this.#followed.set(other.log, other);
      return other.log;
    }
    const journal = await this.#body.open(partition, extras);
    const opening = PartitionLog.open({
      journal,
      nowMs,
      onFatal,
      onDurable: (seconds) => {
        this.#failedWrites.onDurable(partition);
        onDurable?.(seconds);
      },
      afterFailure,
      onStopped: (error) => this.#noteStop(partition, error),
    });
    const log = await opening.catch(async (error: unknown) => {
      // An open journal would renew its lease for as long as this process lives, and lock out every node, including this one.
      await journal.close().catch(() => undefined);
      throw error;
    });
    this.#opened.push(log);
    await this.#catchUp();
    return log;
  }

  /**
   * Reads what other nodes wrote while this node stood by, perhaps for hours. A settler with older state would take trades for open that
   * its predecessor has sent and moved: it would blame their wallets for fills that are on chain, or be told that they cannot move to that
   * stage.
   */
  async #catchUp(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((each) => each.catchUp()));
  }

  /** Recovers the state that the records of a partition fold into, and keeps checkpoints of it until the journal closes. */
  readonly keepState = async <Fold extends RecordFold>(
    log: PartitionLog,
    create: () => Fold,
  ): Promise<PartitionState<Fold>> => {
    const { checkpointEvery, onWarning } = this.#options;
    const state = await PartitionState.open({ log, create, checkpointEvery, onWarning });
    this.#states.push(state);
    this.#followed.get(log)?.start();
    return state;
  };

  /** The host of a partition of markets, here or elsewhere. */
  readonly openHost = async (options: HostOptions): Promise<PartitionHost> => {
    const { log } = options;
    const other = this.#followed.get(log);
    if (other !== undefined) return other.openHost(options);
    const host = await Host.open(options);
    this.#options.others?.serve({ log, host });
    return host;
  };

  /** Whether this node sees what other nodes write, in all partitions that it follows. */
  readonly isFollowing = (): boolean => [...this.#followed.values()].every(({ isCutOff }) => !isCutOff);

  /** Whether the partitions of this node take records, judging by the latest writes. */
  readonly isWritable = (): boolean => !this.#failedWrites.isDoubted();

  /** Rejects records that wait for a failed journal, now and later, because this node stops. */
  readonly stopWaiting = (): void => {
    for (const log of this.#opened) log.stopWaiting();
  };

  readonly close = async (): Promise<void> => {
    for (const each of this.#followed.values()) each.close();
    for (const state of this.#states.splice(0)) await state.close();
    for (const log of this.#opened.splice(0).reverse()) await log.close();
    await this.#body.close();
  };

  #noteStop(partition: string, error: unknown): void {
    const { onWarning, faults } = this.#options;
    if (error === undefined) {
      this.#failedWrites.onReopened(partition);
      onWarning(`journal of ${partition} is writable again`);
    } else {
      this.#failedWrites.onFailed(partition);
      onWarning(`write to the journal of ${partition} failed; refusing writes and reopening it: ${String(error)}`);
    }
    faults?.note('write_failed', this.#failedWrites.isClosed);
  }
}
