// An incremental copy of a journal: reads frames beside a live writer and appends them to those already copied.
import { toHashText } from '../body.ts';
import { encodeFrame, type Frame } from '../frame.ts';
import { NO_HASH } from '../frame-chain.ts';
import { type JournalFile, type JournalFiles, nodeFiles, readWhole, replaceFile, writeFully } from './files.ts';
import { FrameCursor } from './frame-cursor.ts';
import { Mark, readOrigin, writeOrigin } from './mark.ts';
import { listSegments } from './segments.ts';

export interface CopyPoint {
  /** 0 if nothing is copied yet. */
  readonly lastSeq: number;
  /** SHA-256 of the frame that ends at `lastSeq`, hexadecimal. */
  readonly headHash: string;
}

export interface JournalCopyOptions {
  readonly from: string;
  readonly to: string;
  /** End of the existing copy; later bytes, left by an unfinished run, are removed. */
  readonly at: CopyPoint;
  readonly files?: JournalFiles;
}

/** The copy cannot continue; the message says what to do instead. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

export const COPY_START: CopyPoint = { lastSeq: 0, headHash: toHashText({ hash: NO_HASH }) };

const SEGMENT_BYTES = 64 * 1024 * 1024;
const CHECKPOINT = /^checkpoint-(\d{16})$/;

export class JournalCopy {
  readonly #options: Required<JournalCopyOptions>;
  readonly #cursor: FrameCursor;
  #partition: string | undefined;
  #point: CopyPoint;
  #timeMs = 0;
  /** Whether the copy begins after the first record: then only a checkpoint contains the earlier state. */
  #hasOrigin = false;
  /** Whether the end of the copy was found in the original. */
  #isJoined: boolean;
  #file: JournalFile | undefined;
  #end = 0;

  private constructor(options: Required<JournalCopyOptions>) {
    this.#options = options;
    this.#point = options.at;
    this.#isJoined = options.at.lastSeq === 0;
    const { from: dir, at, files } = options;
    this.#cursor = new FrameCursor({ dir, fromSeq: Math.max(1, at.lastSeq), files });
  }

  static async open(given: JournalCopyOptions): Promise<JournalCopy> {
    const options = { files: nodeFiles, ...given };
    const { files, to, at } = options;
    await files.makeDir(to);
    for (const { firstSeq, path } of await listSegments(files, to)) if (firstSeq > at.lastSeq) await files.remove(path);
    return new JournalCopy(options);
  }

  get point(): CopyPoint {
    return this.#point;
  }

  /** Time of the last frame copied by this run; 0 if there was none. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /** Copies everything, or everything up to a time; when called again, whatever was added since. */
  async copy(untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    for await (const frame of this.#cursor.read()) {
      if (!this.#isJoined) this.#join(frame);
      else if (frame.timeMs > untilMs) return;
      else await this.#write(frame);
    }
    if (!this.#isJoined) throw this.#foreign();
  }

  /** Durable when it resolves, with the newest checkpoint that is not ahead of it, and with its mark. */
  async finish(): Promise<void> {
    const { files, to } = this.#options;
    await this.#closeSegment();
    if (this.#partition === undefined) return;
    const { lastSeq: seq, headHash: hash } = this.#point;
    await new Mark({ files, dir: to, partition: this.#partition }, undefined).raise({ seq, hash });
    await this.#copyCheckpoint();
    if (this.#hasOrigin && !(await files.list(to)).some((name) => CHECKPOINT.test(name))) throw this.#headless();
  }

  #join(frame: Frame): void {
    const { lastSeq, headHash } = this.#point;
    if (frame.lastSeq !== lastSeq || toHashText(frame) !== headHash) throw this.#foreign();
    this.#partition = frame.partition;
    this.#isJoined = true;
  }

  async #write(frame: Frame): Promise<void> {
    if (this.#point.lastSeq === 0 && frame.firstSeq > 1) await this.#copyOrigin(frame);
    const bytes = encodeFrame(frame, frame.records);
    if (this.#file === undefined || this.#end + bytes.length > SEGMENT_BYTES) await this.#openSegment(frame.firstSeq);
    await writeFully(this.#file!, bytes, this.#end);
    this.#end += bytes.length;
    this.#partition = frame.partition;
    this.#point = { lastSeq: frame.lastSeq, headHash: toHashText(frame) };
    this.#timeMs = frame.timeMs;
  }

  /**
   * For a journal whose older segments were deleted. The original may lose more of them meanwhile, but never becomes
   * another journal.
   */
  async #copyOrigin({ partition, firstSeq, previousHash }: Frame): Promise<void> {
    const { files, from, to } = this.#options;
    const origin = await readOrigin(files, from);
    if (origin === undefined) throw this.#foreign();
    await writeOrigin(files, to, partition, { ...origin, firstSeq, previousHash });
    this.#hasOrigin = true;
  }

  async #openSegment(firstSeq: number): Promise<void> {
    await this.#closeSegment();
    const path = `${this.#options.to}/${String(firstSeq).padStart(16, '0')}.frames`;
    this.#file = await this.#options.files.open(path, 'create');
    this.#end = 0;
  }

  async #closeSegment(): Promise<void> {
    const { files, to } = this.#options;
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
    await files.syncDir(to);
  }

  /**
   * Optional: without a checkpoint the journal gives the same state, only more slowly. One that vanishes while being
   * read was replaced by a newer one.
   */
  async #copyCheckpoint(): Promise<void> {
    const { files, from, to } = this.#options;
    const usable = (await files.list(from)).filter(
      (name) => Number(CHECKPOINT.exec(name)?.[1] ?? Infinity) <= this.#point.lastSeq,
    );
    const name = usable.sort().at(-1);
    const bytes = name === undefined ? undefined : await readWhole(files, `${from}/${name}`).catch(() => undefined);
    if (name === undefined || bytes === undefined) return;
    await replaceFile(files, to, name, [bytes]);
    for (const old of await files.list(to))
      if (CHECKPOINT.test(old) && old !== name) await files.remove(`${to}/${old}`);
  }

  #headless(): Error {
    return new CopyRefused(
      `the checkpoints of ${this.#options.from} were replaced while it was copied: back up once more.`,
    );
  }

  #foreign(): Error {
    const { from, to } = this.#options;
    return new CopyRefused(
      `${to} is no copy of the journal in ${from}, or of more than it has: back up to another folder.`,
    );
  }
}
