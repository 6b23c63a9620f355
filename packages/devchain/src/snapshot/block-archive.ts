// All blocks up to the snapshot that the node began from, read from files; their contents never change.
import { rename } from 'node:fs/promises';
import { messageOf } from '@presage/runtime';
import { type LogFilter, matchesLog, mayHold, toBloomQuestion } from '../rpc/log-filter.ts';
import type { ArchivedBlock, BlockSegment, LogView } from './block-segment.ts';

const BLOOM_BYTES = 256;
/** Cached blocks: receipts are read in runs, mostly of the same block. */
const BLOCKS_KEPT = 16;

export class BlockArchive {
  readonly #segments: BlockSegment[] = [];
  readonly #kept = new Map<number, Promise<ArchivedBlock>>();

  /** Number of the newest archived block; -1 if there is none. */
  get last(): number {
    return this.#segments.at(-1)?.last ?? -1;
  }

  get segmentNames(): readonly string[] {
    return this.#segments.map(({ name }) => name);
  }

  add(segment: BlockSegment): void {
    if (segment.first !== this.last + 1) throw new Error(`${segment.path} does not follow block ${this.last}`);
    this.#segments.push(segment);
  }

  /** Drops segments above the block. Segments end where snapshots were taken, so none has to be cut. */
  truncate(last: number): void {
    while (this.last > last) this.#segments.pop();
    this.#kept.clear();
  }

  async read(number: number): Promise<ArchivedBlock> {
    const segment = this.#segments[this.#indexOf(number)];
    if (!segment || number > this.last) throw new Error(`block ${number} is not in the archive`);
    const known = this.#kept.get(number);
    if (known) return known;
    const reading = guard(segment, () => segment.read(number));
    this.#kept.set(number, reading);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > BLOCKS_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return reading;
  }

  findBlock(hash: unknown): number | undefined {
    const bytes = toHash(hash);
    return bytes && findLast(this.#segments, (segment) => segment.findBlock(bytes));
  }

  findTransaction(hash: unknown): ReturnType<BlockSegment['findTransaction']> {
    const bytes = toHash(hash);
    return bytes && findLast(this.#segments, (segment) => segment.findTransaction(bytes));
  }

  async readLogsOf(number: number, filter: LogFilter): Promise<LogView[]> {
    const { receipts } = await this.read(number);
    return receipts.flatMap((receipt) => receipt.logs).filter((log) => matchesLog(log, filter));
  }

  async readLogs(first: number, last: number, filter: LogFilter): Promise<LogView[]> {
    const question = toBloomQuestion(filter);
    const logs: LogView[] = [];
    for (const segment of this.#segments.slice(this.#indexOf(first))) {
      if (segment.first > last) break;
      const blooms = await guard(segment, () => segment.readBlooms());
      for (let number = Math.max(first, segment.first); number <= Math.min(last, segment.last); number += 1) {
        const at = (number - segment.first) * BLOOM_BYTES;
        const bloom = blooms.subarray(at, at + BLOOM_BYTES);
        if (!bloom.some((byte) => byte !== 0) || !mayHold(bloom, question)) continue;
        logs.push(...(await this.readLogsOf(number, filter)));
      }
    }
    return logs;
  }

  #indexOf(number: number): number {
    let [low, high] = [0, this.#segments.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#segments[middle]!.first <= number) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** An unreadable file is moved aside: the next start finds it missing and rebuilds it from the log. */
async function guard<T>(segment: BlockSegment, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    await rename(segment.path, `${segment.path}.damaged`).catch(() => undefined);
    throw new Error(`${messageOf(error)}; a restart of the chain makes the file again`);
  }
}

function findLast<T>(segments: readonly BlockSegment[], find: (segment: BlockSegment) => T | undefined): T | undefined {
  for (const segment of segments.toReversed()) {
    const found = find(segment);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toHash(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value)) return undefined;
  return Buffer.from(value.slice(2), 'hex');
}
