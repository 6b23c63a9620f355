// The directory of snapshots and old blocks: writes them whole, finds the newest good one, removes what nobody needs.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GenesisRecord } from '../chain-record.ts';
import { BlockArchive } from './block-archive.ts';
import { BlockSegment, type SegmentBuilder } from './block-segment.ts';
import { openDirectory, writeWhole } from './chain-files.ts';
import { encodeSnapshot, parseSnapshot, type Snapshot } from './snapshot-file.ts';

const NAME = /^state-(\d{10})-(\d{12})$/;
const SEGMENT = /^blocks-/;
/** Snapshots kept beyond the one that a rewind may need: should that be damaged, the next is not far. */
const SPARE_SNAPSHOTS = 1;

export interface SnapshotName {
  readonly name: string;
  readonly number: number;
  readonly seq: number;
}

export interface StoreOptions {
  readonly dir: string;
  /** Told why a snapshot was passed over. */
  readonly onDamage: (message: string) => void;
}

export class SnapshotStore {
  readonly #options: StoreOptions;

  private constructor(options: StoreOptions) {
    this.#options = options;
  }

  static async open(options: StoreOptions): Promise<SnapshotStore> {
    await openDirectory(options.dir);
    return new SnapshotStore(options);
  }

  get onDamage(): (message: string) => void {
    return this.#options.onDamage;
  }

  /** Newest first. */
  async list(): Promise<SnapshotName[]> {
    const names: SnapshotName[] = [];
    for (const name of await readdir(this.#options.dir)) {
      const match = NAME.exec(name);
      if (match) names.push({ name, number: Number(match[1]), seq: Number(match[2]) });
    }
    return names.sort((a, b) => b.seq - a.seq);
  }

  /** Nothing, and a word to the operator, when the file is missing, damaged or of another chain. */
  async read({ name, seq }: SnapshotName, genesis: GenesisRecord): Promise<Snapshot | undefined> {
    try {
      const snapshot = await parseSnapshot(await readFile(join(this.#options.dir, name)));
      if (snapshot.seq !== seq) throw new Error('it belongs under another name');
      if (JSON.stringify(snapshot.genesis) !== JSON.stringify(genesis)) throw new Error('it is of another chain');
      return snapshot;
    } catch (error) {
      this.onDamage(`the snapshot ${name} was passed over: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async write(snapshot: Snapshot): Promise<void> {
    const { number } = snapshot.origin;
    const name = `state-${String(number).padStart(10, '0')}-${String(snapshot.seq).padStart(12, '0')}`;
    await writeWhole(this.#options.dir, name, [await encodeSnapshot(snapshot)]);
  }

  async writeSegment(first: number, last: number, hash: string, builder: SegmentBuilder): Promise<BlockSegment> {
    const range = [first, last].map((number) => String(number).padStart(10, '0')).join('-');
    const name = `blocks-${range}-${hash.slice(2, 10)}`;
    await writeWhole(this.#options.dir, name, builder.parts());
    return BlockSegment.open(join(this.#options.dir, name));
  }

  async openArchive(segments: readonly string[]): Promise<BlockArchive> {
    const archive = new BlockArchive();
    for (const name of segments) archive.add(await BlockSegment.open(join(this.#options.dir, name)));
    return archive;
  }

  /** For a chain that is born: what lies here is of another. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#options.dir)) await rm(join(this.#options.dir, name), { force: true });
  }

  /** Keeps what a rewind to `lowest` may need, and the files of `segments`. */
  async prune(lowest: number, segments: readonly string[]): Promise<void> {
    const old = (await this.list()).filter(({ number }) => number <= lowest);
    const unneeded = old.slice(1 + SPARE_SNAPSHOTS).map(({ name }) => name);
    const kept = new Set(segments);
    for (const name of await readdir(this.#options.dir)) if (SEGMENT.test(name) && !kept.has(name)) unneeded.push(name);
    for (const name of unneeded) await rm(join(this.#options.dir, name), { force: true });
  }
}
