// The directory of snapshots and old blocks: writes them atomically, finds the newest valid one, removes those no
// longer needed.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@presage/runtime';
import type { GenesisRecord } from '../chain-record.ts';
import type { LedgerBlock } from '../ledger.ts';
import { BlockArchive } from './block-archive.ts';
import { BlockSegment, type SegmentBuilder } from './block-segment.ts';
import { openDirectory, writeWhole } from './chain-files.ts';
import { encodeSnapshot, parseSnapshot, type Snapshot } from './snapshot-file.ts';

const NAME = /^state-(\d{12})-(\d{10}-[0-9a-f]{8})$/;
const SEGMENT = /^blocks-/;
/** Snapshots kept beyond the one that a rewind may need, in case that one is damaged. */
const SPARE_SNAPSHOTS = 1;

export interface SnapshotName {
  readonly name: string;
  readonly seq: number;
  readonly number: number;
  /** Number and first hash digits of its block; the name of the segment that ends there has the same suffix. */
  readonly block: string;
}

export interface NeededFiles {
  readonly lowest: number;
  /** The block from which the running node began. */
  readonly base: number;
  readonly segments: readonly string[];
}

export interface StoreOptions {
  readonly dir: string;
  /** Called with the reason why a snapshot was skipped. */
  readonly onDamage: (message: string) => void;
}

export class SnapshotStore {
  readonly #dir: string;
  readonly onDamage: StoreOptions['onDamage'];

  private constructor({ dir, onDamage }: StoreOptions) {
    this.#dir = dir;
    this.onDamage = onDamage;
  }

  static async open(options: StoreOptions): Promise<SnapshotStore> {
    await openDirectory(options.dir);
    return new SnapshotStore(options);
  }

  /** Newest first. */
  async list(): Promise<SnapshotName[]> {
    const names: SnapshotName[] = [];
    for (const name of await readdir(this.#dir)) {
      const match = NAME.exec(name);
      const [, seq, block] = match ?? [];
      if (seq && block) names.push({ name, seq: Number(seq), number: Number(block.slice(0, 10)), block });
    }
    return names.sort((a, b) => b.seq - a.seq);
  }

  /** Returns undefined, and logs it, if the file is missing, damaged or of another chain. */
  async read({ name, seq }: SnapshotName, genesis: GenesisRecord): Promise<Snapshot | undefined> {
    try {
      const snapshot = await parseSnapshot(await readFile(join(this.#dir, name)));
      if (snapshot.seq !== seq) throw new Error('it belongs under another name');
      if (JSON.stringify(snapshot.genesis) !== JSON.stringify(genesis)) throw new Error('it is of another chain');
      return snapshot;
    } catch (error) {
      this.onDamage(`the snapshot ${name} was passed over: ${messageOf(error)}`);
      return undefined;
    }
  }

  async write(snapshot: Snapshot): Promise<void> {
    const name = `state-${String(snapshot.seq).padStart(12, '0')}-${toBlockName(snapshot.origin)}`;
    await writeWhole(this.#dir, name, [await encodeSnapshot(snapshot)]);
  }

  async writeSegment(first: number, last: LedgerBlock, builder: SegmentBuilder): Promise<BlockSegment> {
    const name = `blocks-${String(first).padStart(10, '0')}-${toBlockName(last)}`;
    await writeWhole(this.#dir, name, builder.parts());
    return BlockSegment.open(join(this.#dir, name));
  }

  async openArchive(segments: readonly string[]): Promise<BlockArchive> {
    const archive = new BlockArchive();
    for (const name of segments) archive.add(await BlockSegment.open(join(this.#dir, name)));
    return archive;
  }

  /** Deletes everything, for a new chain: the files here belong to another one. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#dir)) await rm(join(this.#dir, name), { force: true });
  }

  /**
   * Keeps the files of `segments` and, of the snapshots at the end of one of them, the one of block `base` and those
   * that a rewind to `lowest` may need.
   */
  async prune({ lowest, base, segments }: NeededFiles): Promise<void> {
    const isCurrent = ({ block }: SnapshotName) => segments.some((segment) => segment.endsWith(block));
    const names = await this.list();
    const old = names.filter((name) => name.number <= lowest && isCurrent(name));
    const spent = old.slice(1 + SPARE_SNAPSHOTS).filter(({ number }) => number !== base);
    const unneeded = [...spent, ...names.filter((name) => !isCurrent(name))];
    const files = (await readdir(this.#dir)).filter((name) => SEGMENT.test(name) && !segments.includes(name));
    for (const name of [...unneeded.map(({ name }) => name), ...files]) {
      await rm(join(this.#dir, name), { force: true });
    }
  }
}

function toBlockName({ number, hash }: Pick<LedgerBlock, 'number' | 'hash'>): string {
  return `${String(number).padStart(10, '0')}-${hash.slice(2, 10)}`;
}
