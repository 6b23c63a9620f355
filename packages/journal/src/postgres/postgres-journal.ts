// The journal in PostgreSQL: one row per frame, appended only by the holder of the partition's lease.
import { backoffMs, sleep } from '@presage/runtime';
import { assertCheckpoint, CHECKPOINTS_KEPT, OwnedPartition, toFrameRef } from '../body.ts';
import { type AdoptingJournal, frameBytesOf } from '../copy.ts';
import { JournalFenced } from '../errors.ts';
import { type JournalFiles, nodeFiles } from '../file/files.ts';
import { Mark, type MarkPoint, readMark } from '../file/mark.ts';
import type { Frame } from '../frame.ts';
import { FrameChain, NO_HASH, type SealedFrame } from '../frame-chain.ts';
import { assertPartitionName } from '../frame-layout.ts';
import { misplaced } from '../frame-pages.ts';
import type { Checkpoint, CheckpointFound, FrameRef, FrameSeal } from '../journal.ts';
import { AppendQueue } from './append-queue.ts';
import { ConnectionLost, createTables, type JournalDatabase } from './database.ts';
import { readFirstHash, readFrames, readNewestCheckpoint, readTail, regressed, toHex } from './frame-reads.ts';
import { Lease, type NextHolder } from './lease.ts';
import { ADOPT, DROP_CHECKPOINTS, LIST_PARTITIONS, READ_FRAME_HASH, TABLES, WRITE_CHECKPOINT } from './statements.ts';

export interface PostgresJournalOptions {
  readonly database: JournalDatabase;
  readonly partition: string;
  /** Address of the owner for other nodes. */
  readonly address: string;
  /** An owner that is silent for this long loses the partition. */
  readonly leaseMs?: number;
  /** How long an append tries to find out its outcome while the database does not answer. */
  readonly patienceMs?: number;
  /** A folder of this node that records what it acknowledged, so that a database that lost it is detected. */
  readonly markDir?: string;
  readonly files?: JournalFiles;
  readonly onSealed?: (frame: FrameSeal) => void;
  /** Called when another owner has the partition: nothing can be appended any more. */
  readonly onLost?: (error: JournalFenced) => void;
}

const LEASE_MS = 5_000;
const PATIENCE_MS = 30_000;
const RETRY = { firstMs: 50, longestMs: 1_000 };
const MARK_EVERY_MS = 1_000;

interface Parts {
  readonly options: PostgresJournalOptions;
  readonly lease: Lease;
  readonly chain: FrameChain;
  readonly mark: Mark | undefined;
}

export class PostgresJournal extends OwnedPartition implements AdoptingJournal {
  /** No frame is ever deleted here. */
  readonly firstSeq = 1;
  readonly #options: PostgresJournalOptions;
  readonly #lease: Lease;
  readonly #mark: Mark | undefined;
  readonly #marking: NodeJS.Timeout | undefined;
  /** Whether this journal still has to release the lease. */
  #isHeld = true;

  private constructor({ options, lease, chain, mark }: Parts) {
    super(options.partition, chain);
    this.#options = options;
    this.#lease = lease;
    this.#mark = mark;
    if (mark !== undefined) this.#marking = setInterval(() => this.#remember().catch(() => undefined), MARK_EVERY_MS);
    this.#marking?.unref();
    lease.keep((error) => {
      this.gate.poison(error);
      options.onLost?.(error);
    });
  }

  /** Rejects with `JournalLocked` while another node owns the partition. */
  static async open(options: PostgresJournalOptions): Promise<PostgresJournal> {
    const { database, partition, address, leaseMs = LEASE_MS } = options;
    assertPartitionName(partition);
    await createTables(database, TABLES);
    const lease = await Lease.take({ database, partition, address, leaseMs });
    try {
      const tail = await readTail(options);
      const chain = FrameChain.atStart(partition);
      if (tail !== undefined) chain.advance(tail);
      return new PostgresJournal({ options, lease, chain, mark: await openMark(options, chain) });
    } catch (error) {
      await lease.release().catch(() => undefined);
      throw error;
    }
  }

  /** Continues where this node has followed the journal to, after its previous owner passed the lease on. Does not query the database. */
  static succeed(parts: Omit<Parts, 'lease'>, passed: { owner: string; epoch: number }): PostgresJournal {
    const { database, partition, address, leaseMs = LEASE_MS } = parts.options;
    const lease = Lease.passedOn({ database, partition, address, leaseMs }, passed);
    return new PostgresJournal({ ...parts, lease });
  }

  get epoch(): number {
    return this.#lease.epoch;
  }

  identity(): Promise<string | undefined> {
    return readFirstHash(this.#options);
  }

  async append(records: readonly Uint8Array[], timeMs: number): Promise<FrameRef> {
    this.gate.assertFree();
    const sealed = this.#seal(records, timeMs);
    const ref = toFrameRef(sealed.frame);
    const writing = this.gate.pass(async () => {
      const written = await this.#write(sealed, records, timeMs);
      this.chain.advance(written);
      return written;
    });
    this.#options.onSealed?.(ref.frame);
    const written = await writing;
    // Returns the same object that `onSealed` received, because results prepared for it are keyed by it.
    return written === sealed.frame ? ref : toFrameRef(written);
  }

  async confirm(): Promise<void> {
    this.gate.assertOpen();
    await this.#lease.renew();
  }

  async adopt(frames: readonly Frame[]): Promise<void> {
    this.gate.assertFree();
    const followed = this.chain.extendBy(frames);
    const { database, partition } = this.#options;
    for (const frame of frames) {
      const { firstSeq, lastSeq, epoch, hash } = frame;
      const row = [partition, firstSeq, lastSeq, epoch, hash, frameBytesOf(frame), this.#lease.epoch];
      const written = await database.query(ADOPT, row);
      if (written.length === 0) throw new JournalFenced(partition, this.#lease.epoch);
    }
    await this.#lease.raiseEpoch(frames.at(-1)!.epoch);
    followed();
  }

  readWhole(fromSeq: number): AsyncGenerator<Frame, void, void> {
    return readFrames(this.#options, fromSeq, this.lastSeq);
  }

  /** Keeps the lease. Under a new epoch no earlier statement can still take effect, so the tail read now is final. */
  async reopen(): Promise<PostgresJournal> {
    await this.gate.close();
    clearInterval(this.#marking);
    await this.#lease.raiseEpoch();
    const tail = await readTail(this.#options);
    const hasSurvived = tail !== undefined && this.chain.breach(tail) === undefined;
    if (!hasSurvived) await this.#assertTailKept(tail);
    const chain = FrameChain.atStart(this.partition);
    if (tail !== undefined) chain.advance(tail);
    this.#isHeld = false;
    return new PostgresJournal({ options: this.#options, lease: this.#lease, chain, mark: this.#mark });
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.gate.assertOpen();
    assertCheckpoint(checkpoint, this.lastSeq);
    const { database, partition } = this.#options;
    const { seq, stateHash, body } = checkpoint;
    await database.query(WRITE_CHECKPOINT, [partition, seq, stateHash, body]);
    await database.query(DROP_CHECKPOINTS, [partition, CHECKPOINTS_KEPT]);
  }

  readCheckpoint(): Promise<CheckpointFound> {
    return readNewestCheckpoint(this.#options, this.lastSeq);
  }

  /**
   * Passes ownership to another node and resolves with its epoch. Nothing can be appended here any more, even if it
   * fails: then the partition is released, because its owner is unknown.
   */
  async passOn(next: NextHolder): Promise<number> {
    await this.gate.close();
    return this.#lease.passOn(next);
  }

  async close(): Promise<void> {
    await this.gate.close();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    clearInterval(this.#marking);
    // Recorded after a failure too, so that the next start detects the loss of acknowledged frames.
    await this.#remember().catch(() => undefined);
    // If the database does not answer, the lease expires by itself.
    await this.#lease.release().catch(() => undefined);
  }

  #seal(records: readonly Uint8Array[], timeMs: number): SealedFrame {
    return this.chain.seal(records, timeMs, this.#lease.epoch);
  }

  /** Returns the written frame: the sealed one or, after a lost connection, an equal one under a later epoch. */
  async #write(sealed: SealedFrame, records: readonly Uint8Array[], timeMs: number): Promise<Frame> {
    const deadlineMs = performance.now() + (this.#options.patienceMs ?? PATIENCE_MS);
    for (let attempt = sealed, failures = 0; ; failures++) {
      try {
        await this.#insert(attempt);
        return attempt.frame;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (await this.#settle(attempt.frame, deadlineMs, failures)) return attempt.frame;
        attempt = this.#seal(records, timeMs);
      }
    }
  }

  async #insert({ bytes, frame }: SealedFrame): Promise<void> {
    const { database, partition } = this.#options;
    const { firstSeq, lastSeq, epoch, hash } = frame;
    const previous = this.lastSeq === 0 ? null : this.chain.point.hash;
    const { owner } = this.#lease;
    const row = { partition, firstSeq, lastSeq, epoch, hash, bytes, owner, previous: previous ?? null };
    if (!(await AppendQueue.of(database).append(row))) await this.#explainRefusal(epoch);
  }

  /** Always rejects: another owner has the lease or, if it is still ours, the database lost frames. */
  async #explainRefusal(epoch: number): Promise<never> {
    await this.#lease.renew();
    await this.#assertTailKept(await readTail(this.#options));
    throw new JournalFenced(this.partition, epoch);
  }

  /** Whether a frame with unknown outcome was written. Under a new epoch it cannot arrive after the check. */
  async #settle(frame: Frame, deadlineMs: number, failures: number): Promise<boolean> {
    for (let tries = failures; ; tries++) {
      try {
        await this.#lease.raiseEpoch();
        const tail = await readTail(this.#options);
        if (tail !== undefined && Buffer.compare(tail.hash, frame.hash) === 0) return true;
        await this.#assertTailKept(tail);
        return false;
      } catch (error) {
        if (!(error instanceof ConnectionLost) || performance.now() > deadlineMs) throw error;
        await sleep(backoffMs(RETRY, tries));
      }
    }
  }

  /** Refuses to write to a database that was restored or promoted without the last frames. */
  async #assertTailKept(tail: Frame | undefined): Promise<void> {
    const { lastSeq, hash } = this.chain.point;
    if ((tail?.lastSeq ?? 0) === lastSeq && (tail === undefined || Buffer.compare(tail.hash, hash ?? NO_HASH) === 0))
      return;
    // Recorded on this node's disk first: otherwise a restart would not know of the last second.
    await this.#remember();
    throw regressed(this.partition, lastSeq, tail?.lastSeq ?? 0);
  }

  async #remember(): Promise<void> {
    if (this.lastSeq > 0) await this.#mark?.raise({ seq: this.lastSeq, hash: this.headHash });
  }
}

/** Every partition that was ever written. */
export async function listPartitions(database: JournalDatabase): Promise<string[]> {
  await createTables(database, TABLES);
  const rows = await database.query<{ part: string }>(LIST_PARTITIONS, []);
  return rows.map(({ part }) => part);
}

/**
 * Checks that the database still has what this node acknowledged, unchanged: a different history would be a different
 * exchange.
 */
export async function openMark(options: PostgresJournalOptions, chain: FrameChain): Promise<Mark | undefined> {
  const { markDir: dir, files = nodeFiles, partition } = options;
  if (dir === undefined) return undefined;
  await files.makeDir(dir);
  const found = await readMark(files, dir);
  const point = found === 'damaged' ? undefined : found;
  if (point !== undefined) await assertMarkKept(options, point, chain.point.lastSeq);
  return new Mark({ files, dir, partition }, point);
}

async function assertMarkKept(options: PostgresJournalOptions, mark: MarkPoint, lastSeq: number): Promise<void> {
  const { database, partition } = options;
  if (lastSeq < mark.seq) throw regressed(partition, mark.seq, lastSeq);
  const [row] = await database.query<{ hash: Uint8Array }>(READ_FRAME_HASH, [partition, mark.seq]);
  if (row !== undefined && toHex(row.hash) === mark.hash) return;
  throw misplaced(partition, mark.seq, `the frame at sequence ${mark.seq} is not the one that this node acknowledged`);
}
