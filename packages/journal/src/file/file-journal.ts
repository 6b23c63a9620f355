// The journal in files: the default implementation, one directory per partition.
import { SerialQueue } from '@presage/runtime';
import { nodeProcessProbe, type ProcessProbe } from '@presage/runtime/node';
import { assertCheckpoint, assertNotAhead, assertWithin, OwnedPartition, toFrameRef, toHashText } from '../body.ts';
import { type AdoptingJournal, frameBytesOf } from '../copy.ts';
import { JournalMisuse, RecordsDeleted } from '../errors.ts';
import { type Frame, frameBytes } from '../frame.ts';
import { FrameChain, type SealedFrame } from '../frame-chain.ts';
import { assertPartitionName } from '../frame-layout.ts';
import type { Checkpoint, CheckpointFound, FrameRef, FrameSeal, MemoryFound, MemoryImage } from '../journal.ts';
import {
  archivedMs,
  archiveSegment,
  deleteArchived,
  listArchived,
  nameOf,
  openArchivedStart,
  openSegment,
} from './archive.ts';
import { Checkpoints } from './checkpoints.ts';
import { type JournalFile, type JournalFiles, nodeFiles } from './files.ts';
import { FrameReader } from './frame-reader.ts';
import { takeLock } from './lock.ts';
import { type FramePlace, Mark, type Origin, writeOrigin } from './mark.ts';
import { MemoryImages } from './memory-images.ts';
import { type Scan, scanJournal } from './scan.ts';
import { SegmentWriter, whenThereIsRoom } from './segment-writer.ts';
import type { SeekIndex, SeekPoint, Segment } from './segments.ts';

export interface FileJournalOptions {
  /** The partition's own directory; created if absent. */
  dir: string;
  partition: string;
  segmentBytes?: number;
  growBytes?: number;
  /**
   * `all` (the default) checks every frame at opening. `tail` begins at the frame of the last mark: opening then takes
   * the same time regardless of history, and older damage is detected when it is read.
   */
  verify?: 'all' | 'tail';
  /**
   * With each checkpoint, moves full segments before it to the archive, in the background; a failure is retried with
   * the next checkpoint.
   */
  archive?: boolean;
  /** What to delete from the archive with each checkpoint; nothing by default. */
  retention?: ArchiveRetention | undefined;
  /** Called while a frame is being written to disk: work that depends only on its hash can run meanwhile. */
  onSealed?: (frame: FrameSeal) => void;
  files?: JournalFiles;
  probe?: ProcessProbe;
}

/** Deletes segments that no start needs from the archive when they are old enough. */
export interface ArchiveRetention {
  /** Time since archiving, by the machine's clock. */
  readonly keptMs: number;
  /** Records from this sequence on are still needed, however old. */
  readonly neededFromSeq: () => number;
}

/** Result of opening. */
export interface FileRecovery {
  readonly frames: number;
  readonly records: number;
  /** Remains of a frame that was in flight at a crash; they were cut off. */
  readonly tornBytes: number;
  /** True if the mark was unreadable, so that a lost tail could not be detected. */
  readonly markDamaged: boolean;
}

const SEGMENT_BYTES = 64 * 1024 * 1024;
const GROW_BYTES = 1024 * 1024;
const MISSING = 'a frame that was durable can no longer be read';

interface Parts {
  readonly options: Required<FileJournalOptions>;
  readonly scan: Scan;
  readonly writer: SegmentWriter;
  readonly mark: Mark;
  readonly recovery: FileRecovery;
  readonly origin: Origin | undefined;
  readonly release: () => Promise<void>;
}

export class FileJournal extends OwnedPartition implements AdoptingJournal {
  readonly epoch: number;
  readonly recovery: FileRecovery;
  readonly #options: Required<FileJournalOptions>;
  readonly #index: SeekIndex;
  readonly #writer: SegmentWriter;
  readonly #mark: Mark;
  readonly #checkpoints: Checkpoints;
  readonly #images: MemoryImages;
  readonly #release: () => Promise<void>;
  readonly #archiving = new SerialQueue();
  #isClosing = false;
  /** Whether this journal still has to release the lock. */
  #isLocked = true;
  #origin: Origin | undefined;
  /** Place of the newest frame; undefined while the last segment has none. */
  #head: FramePlace | undefined;

  private constructor(parts: Parts) {
    super(parts.options.partition, parts.scan.chain);
    this.#origin = parts.origin;
    this.#options = parts.options;
    this.#index = parts.scan.index;
    this.#head = parts.scan.tail?.lastFrame;
    this.#writer = parts.writer;
    this.#mark = parts.mark;
    this.#checkpoints = new Checkpoints(parts.options);
    this.#images = new MemoryImages(parts.options);
    this.#release = parts.release;
    this.recovery = parts.recovery;
    this.epoch = this.chain.point.epoch + 1;
  }

  static async open(given: FileJournalOptions): Promise<FileJournal> {
    const options = withDefaults(given);
    const { files, dir } = options;
    await files.makeDir(dir);
    const release = await takeLock(options);
    try {
      return new FileJournal({ ...(await recover(options)), options, release });
    } catch (error) {
      await release();
      throw error;
    }
  }

  get firstSeq(): number {
    return this.#origin?.firstSeq ?? 1;
  }

  async identity(): Promise<string | undefined> {
    if (this.#origin !== undefined) return this.#origin.identity;
    const first = await this.#firstArchived();
    if (first !== undefined) return toHashText(first);
    for await (const { hash } of this.readWhole(1)) return toHashText({ hash });
    return undefined;
  }

  /** The first frame, if it is archived: decompressing its whole segment takes half a second. */
  async #firstArchived(): Promise<Frame | undefined> {
    const { files, dir } = this.#options;
    const [segment] = this.#index.segments;
    const file = segment && (await openArchivedStart(files, dir, segment.path));
    if (file === undefined) return undefined;
    const chain = FrameChain.atStart(this.partition);
    return new FrameReader({ file, path: segment!.path, chain, size: await file.size(), position: 0 }).next();
  }

  async append(records: readonly Uint8Array[], timeMs: number): Promise<FrameRef> {
    this.gate.assertFree();
    const sealed = this.chain.seal(records, timeMs, this.epoch);
    const ref = toFrameRef(sealed.frame);
    const writing = this.gate.pass(() => this.#write(sealed));
    this.#options.onSealed(ref.frame);
    await writing;
    return ref;
  }

  async adopt(frames: readonly Frame[]): Promise<void> {
    this.gate.assertFree();
    const followed = this.chain.extendBy(frames);
    const previous = this.#writer.segment;
    const bytes = Buffer.concat(frames.map(frameBytesOf));
    const { segment, end } = await this.#writer.write(bytes, frames[0]!.firstSeq);
    if (segment !== previous) this.#index.addSegment(segment, frames[0]!.previousHash);
    followed();
    const last = frames.at(-1)!;
    this.#noteFrame(last, end, frameBytes(last.records));
  }

  async *readWhole(fromSeq: number): AsyncGenerator<Frame, void, void> {
    const end = this.lastSeq;
    if (fromSeq < this.firstSeq) throw new RecordsDeleted(this.partition, this.firstSeq);
    const start = this.#index.find(fromSeq);
    if (!start || fromSeq > end) return;
    const { partition } = this;
    const chain = new FrameChain({ partition, lastSeq: start.lastSeq, hash: start.hash, timeMs: 0, epoch: 0 });
    let { segment, offset } = start;
    while (chain.nextSeq <= end) {
      yield* this.#readSegment({ ...start, segment, offset }, { chain, fromSeq, end });
      segment++;
      offset = 0;
    }
  }

  /** Keeps the lock: no other process writes in between, and a disk that accepts no writes could not release it. */
  async reopen(): Promise<FileJournal> {
    await this.gate.close();
    // The rest of this instance is no longer needed, and its files may fail to close.
    await this.#rest().catch(() => undefined);
    const recovered = await recover(this.#options);
    this.#isLocked = false;
    return new FileJournal({ ...recovered, options: this.#options, release: this.#release });
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.gate.assertOpen();
    assertCheckpoint(checkpoint, this.lastSeq);
    // Writes the mark first: a checkpoint must never be the only evidence of a lost tail.
    await this.#raiseMark();
    await this.#checkpoints.write(checkpoint);
    if (this.#options.archive) this.#archiving.run(() => this.#tidy(checkpoint.seq)).catch(() => undefined);
  }

  readCheckpoint(): Promise<CheckpointFound> {
    return this.#checkpoints.read(this.lastSeq);
  }

  async writeMemory(image: MemoryImage): Promise<void> {
    this.gate.assertOpen();
    assertWithin(image, this.lastSeq);
    await this.#raiseMark();
    await this.#images.write(image);
  }

  async readMemory(): Promise<MemoryFound | undefined> {
    const image = await this.#images.read();
    if (image === undefined) return undefined;
    assertNotAhead(image, this.lastSeq, `${this.#options.dir}, an image of memory`);
    const checkpointSeq = await this.#checkpoints.newestSeq();
    return checkpointSeq > image.seq ? undefined : { ...image, checkpointSeq };
  }

  async close(): Promise<void> {
    await this.gate.close();
    if (!this.#isLocked) return;
    this.#isLocked = false;
    try {
      await this.#rest();
      if (!this.gate.failure && this.lastSeq > 0) await this.#raiseMark();
    } finally {
      await this.#release();
    }
  }

  /** Ends background work, and closes the current file. */
  async #rest(): Promise<void> {
    this.#isClosing = true;
    await this.#checkpoints.settled();
    await this.#images.settled();
    await this.#archiving.idle();
    await this.#writer.close();
  }

  async #tidy(endSeq: number): Promise<void> {
    await this.#archive(endSeq);
    const { retention } = this.#options;
    // Also while closing: it is fast, and a process that never lives long must not keep everything.
    if (retention !== undefined) await this.#deleteOld(retention);
  }

  /** Keeps enough for a start even if the newer checkpoint is damaged. */
  async #deleteOld(retention: ArchiveRetention): Promise<void> {
    const { files, dir, partition } = this.#options;
    const checkpointSeq = await this.#checkpoints.oldestSeq();
    if (checkpointSeq === undefined) return;
    const endSeq = Math.min(checkpointSeq, retention.neededFromSeq() - 1);
    const [names, next] = await this.#findOld(endSeq, Date.now() - retention.keptMs);
    const identity = await this.identity();
    if (next === undefined || identity === undefined) return;
    const origin = { firstSeq: next.firstSeq, previousHash: await this.#hashBefore(next.firstSeq), identity };
    await writeOrigin(files, dir, partition, origin);
    this.#origin = origin;
    await deleteArchived(files, dir, names);
  }

  /** The oldest consecutive segments that may be deleted, and the one that is then the first. */
  async #findOld(endSeq: number, beforeMs: number): Promise<[names: string[], next: Segment | undefined]> {
    const { files, dir } = this.#options;
    const archived = new Set(await listArchived(files, dir));
    const present = new Set(await files.list(dir));
    const names: string[] = [];
    let next: Segment | undefined;
    for (const [index, { firstSeq, path }] of this.#index.segments.slice(0, -1).entries()) {
      if (firstSeq < this.firstSeq) continue;
      const [name, following] = [nameOf(path), this.#index.segments[index + 1]!];
      const isWanted = following.firstSeq > endSeq + 1 || present.has(name) || !archived.has(name);
      if (isWanted || (await archivedMs(files, dir, name)) >= beforeMs) break;
      names.push(name);
      next = following;
    }
    return [names, next];
  }

  async #hashBefore(seq: number): Promise<Uint8Array> {
    for await (const { previousHash } of this.readWhole(seq)) return previousHash;
    throw new JournalMisuse(`there is no record ${seq}`);
  }

  /** Never archives the last segment, which is being written. */
  async #archive(endSeq: number): Promise<void> {
    const { files, dir } = this.#options;
    const present = new Set(await files.list(dir));
    for (const [index, segment] of this.#index.segments.slice(0, -1).entries()) {
      const isBefore = this.#index.segments[index + 1]!.firstSeq <= endSeq + 1;
      if (this.#isClosing || !isBefore) return;
      if (present.has(segment.path.slice(dir.length + 1))) await archiveSegment(files, dir, segment.path);
    }
  }

  async #write({ bytes, frame }: SealedFrame): Promise<Frame> {
    const previous = this.#writer.segment;
    const { segment, end } = await this.#writer.write(bytes, frame.firstSeq);
    if (segment !== previous) this.#index.addSegment(segment, frame.previousHash);
    this.chain.advance(frame);
    this.#noteFrame(frame, end, bytes.length);
    if (segment !== previous) await whenThereIsRoom(() => this.#raiseMark());
    return frame;
  }

  #noteFrame({ firstSeq, lastSeq, hash }: Frame, end: number, length: number): void {
    this.#index.note(end, lastSeq, hash);
    this.#head = { firstSeq, offset: end - length };
  }

  #raiseMark(): Promise<void> {
    return this.#mark.raise({ seq: this.lastSeq, hash: this.headHash, place: this.#head });
  }

  /** Retention may delete it while a reader is at earlier ones. */
  async #openKept({ path, firstSeq }: Segment): Promise<JournalFile> {
    try {
      return await openSegment(this.#options.files, this.#options.dir, path);
    } catch (error) {
      throw firstSeq < this.firstSeq ? new RecordsDeleted(this.partition, this.firstSeq) : error;
    }
  }

  async *#readSegment(
    from: SeekPoint,
    wanted: { chain: FrameChain; fromSeq: number; end: number },
  ): AsyncGenerator<Frame, void, void> {
    const { chain, fromSeq, end } = wanted;
    const segment = this.#index.segments[from.segment];
    if (segment === undefined) throw chain.corrupt(this.#options.dir, 0, MISSING);
    const { path } = segment;
    const file = await this.#openKept(segment);
    try {
      const reader = new FrameReader({ file, path, chain, size: await file.size(), position: from.offset });
      while (chain.nextSeq <= end) {
        const frame = await reader.next();
        if (!frame) break;
        if (frame.lastSeq >= fromSeq) yield frame;
      }
      const next = this.#index.segments[from.segment + 1];
      if (chain.nextSeq <= end && next?.firstSeq !== chain.nextSeq) throw chain.corrupt(path, reader.position, MISSING);
    } finally {
      await file.close();
    }
  }
}

function withDefaults(given: FileJournalOptions): Required<FileJournalOptions> {
  assertPartitionName(given.partition);
  return {
    segmentBytes: SEGMENT_BYTES,
    growBytes: GROW_BYTES,
    verify: 'all',
    archive: false,
    retention: undefined,
    files: nodeFiles,
    probe: nodeProcessProbe,
    onSealed: () => undefined,
    ...given,
  };
}

async function recover(options: Required<FileJournalOptions>): Promise<Omit<Parts, 'options' | 'release'>> {
  const { files, dir, partition } = options;
  for (const name of await files.list(dir)) if (name.endsWith('.tmp')) await files.remove(`${dir}/${name}`);
  const tailOnly = options.verify === 'tail';
  const { scan, origin, mark, markDamaged, tornBytes } = await scanJournal(files, dir, { partition, tailOnly });
  const { tail, frames, records, chain, index } = scan;
  const writer = tail ? await SegmentWriter.resume(options, tail) : await SegmentWriter.create(options, chain.nextSeq);
  if (!tail) index.addSegment(writer.segment, chain.point.hash);
  const recovery = { frames, records, tornBytes, markDamaged };
  return { scan, writer, mark: new Mark(options, mark), recovery, origin };
}
