// A disk in virtual time: it is slow, fills up, fails reads and writes, and loses unsynced data when the power fails.
import type { JournalFile, JournalFiles } from '@presage/journal';
import type { SeededRandom } from '@presage/testkit';
import type { VirtualTime } from '../kernel/virtual-time.ts';

const SECTOR_BYTES = 512;
const EVER = new Promise<never>(() => undefined);

export interface DiskFaults {
  /** Factor by which the disk is slower than usual. */
  slowness: number;
  isFull: boolean;
  /** Probability that a read fails. */
  readErrors: number;
  /** Probability that a write or a sync fails. */
  writeErrors: number;
  /** The file system was remounted read-only after an error. */
  isReadOnly: boolean;
}

export function noDiskFaults(): DiskFaults {
  return { slowness: 1, isFull: false, readErrors: 0, writeErrors: 0, isReadOnly: false };
}

type Operation = 'read' | 'write' | 'sync' | 'name';
const USUAL_MS: Readonly<Record<Operation, number>> = { read: 0.05, write: 0.05, sync: 2, name: 0.2 };

class SimFile {
  content: Buffer = Buffer.alloc(0);
  #durable: Buffer = Buffer.alloc(0);
  readonly #dirty = new Set<number>();
  modifiedMs = 0;

  write(source: Uint8Array, position: number): void {
    const end = position + source.length;
    if (end > this.content.length) this.content = resized(this.content, end);
    this.content.set(source, position);
    for (let sector = Math.floor(position / SECTOR_BYTES); sector * SECTOR_BYTES < end; sector++)
      this.#dirty.add(sector);
  }

  /** The content that certainly survives a loss of power. */
  get durable(): Buffer {
    return this.#durable;
  }

  sync(): void {
    this.#keep([...this.#dirty], this.content.length);
  }

  /** A failed sync: a part reaches the disk, and the rest counts as written nevertheless and is never tried again. */
  failSync(random: SeededRandom): void {
    const kept = [...this.#dirty].filter(() => random.below(2) === 0);
    this.#keep(kept, Math.max(this.#durable.length, random.below(2) === 0 ? 0 : this.content.length));
  }

  losePower(random: SeededRandom): void {
    const size = random.below(2) === 0 ? this.#durable.length : this.content.length;
    this.#keep(
      [...this.#dirty].filter(() => random.below(2) === 0),
      size,
    );
    this.content = Buffer.from(this.#durable);
  }

  #keep(sectors: readonly number[], size: number): void {
    if (size !== this.#durable.length) this.#durable = resized(this.#durable, size);
    for (const sector of sectors) {
      const start = sector * SECTOR_BYTES;
      if (start < size) this.content.copy(this.#durable, start, start, Math.min(start + SECTOR_BYTES, size));
    }
    this.#dirty.clear();
  }
}

function resized(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  bytes.copy(copy);
  return copy;
}

interface NameChange {
  readonly dir: string;
  readonly apply: (names: Map<string, SimFile>) => void;
}

export class SimDisk implements JournalFiles {
  readonly faults: DiskFaults = noDiskFaults();
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  #names = new Map<string, SimFile>();
  #durableNames = new Map<string, SimFile>();
  #unsynced: NameChange[] = [];
  #operations = 0;
  /** Called with each operation, before its effect. */
  onOperation: (operation: Operation, count: number) => void = () => undefined;

  constructor(time: VirtualTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
  }

  /** Applies a power loss. A killed process alone keeps everything that it wrote. */
  losePower(): void {
    for (const change of this.#unsynced.slice(0, this.#random.below(this.#unsynced.length + 1)))
      change.apply(this.#durableNames);
    this.#unsynced = [];
    this.#names = new Map(this.#durableNames);
    for (const file of this.#names.values()) file.losePower(this.#random);
  }

  /** The files for checkers, read without any fault. */
  contents(): Map<string, Buffer> {
    return new Map([...this.#names].map(([path, file]) => [path, Buffer.from(file.content)]));
  }

  /** Whether a loss of power would leave these bytes in some file. */
  holdsDurably(bytes: Buffer): boolean {
    return [...this.#durableNames.values()].some((file) => file.durable.includes(bytes));
  }

  load(files: ReadonlyMap<string, Uint8Array>): void {
    for (const [path, bytes] of files) {
      const file = new SimFile();
      file.write(bytes, 0);
      file.sync();
      this.#names.set(path, file);
    }
    this.#durableNames = new Map(this.#names);
  }

  async makeDir(): Promise<void> {
    await this.#operate('name');
  }

  async list(dir: string): Promise<string[]> {
    await this.#operate('read');
    const inside = [...this.#names.keys()].filter((path) => path.startsWith(`${dir}/`));
    const names = inside.map((path) => path.slice(dir.length + 1)).filter((name) => !name.includes('/'));
    return names.sort();
  }

  async open(path: string, mode: 'read' | 'write' | 'create'): Promise<JournalFile> {
    await this.#operate(mode === 'create' ? 'name' : 'read');
    const there = this.#names.get(path);
    if (mode === 'create') {
      if (there) throw Object.assign(new Error(`${path} exists`), { code: 'EEXIST' });
      this.#assertWritable();
      if (this.faults.isFull) throw noSpace();
      const made = new SimFile();
      this.#change(path, (names) => names.set(path, made));
      return this.#handle(made);
    }
    if (!there) throw Object.assign(new Error(`${path} is not there`), { code: 'ENOENT' });
    return this.#handle(there);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#operate('name');
    this.#assertWritable();
    this.#change(to, (names) => {
      const file = names.get(from);
      names.delete(from);
      if (file) names.set(to, file);
    });
  }

  async remove(path: string): Promise<void> {
    await this.#operate('name');
    this.#assertWritable();
    if (this.#names.has(path)) this.#change(path, (names) => names.delete(path));
  }

  async modifiedMs(path: string): Promise<number> {
    return this.#names.get(path)?.modifiedMs ?? 0;
  }

  async syncDir(dir: string): Promise<void> {
    await this.#operate('sync');
    for (const change of this.#unsynced) if (change.dir === dir) change.apply(this.#durableNames);
    this.#unsynced = this.#unsynced.filter((change) => change.dir !== dir);
  }

  #handle(file: SimFile): JournalFile {
    return {
      size: async () => file.content.length,
      read: async (target, position) => {
        await this.#operate('read');
        if (this.#random.fraction() < this.faults.readErrors) throw failure('EIO', 'the disk could not be read');
        return file.content.copy(target, 0, position, position + target.length);
      },
      close: async () => undefined,
      // In the page cache at once: only the process can die after this, not the write.
      write: async (source, position) => {
        if (!this.#time.current.isAlive) return EVER;
        this.onOperation('write', ++this.#operations);
        this.#assertWritable();
        if (this.faults.isFull) {
          await this.#time.wait(this.#latency('write'));
          throw noSpace();
        }
        // A write may be cut short anywhere.
        const isFailing = this.#isWriteFailing();
        const isShort = isFailing || this.#random.chance(0.02);
        const length = isShort ? 1 + this.#random.below(source.length) : source.length;
        file.write(source.subarray(0, length), position);
        file.modifiedMs = this.#time.wallMs;
        await this.#time.wait(this.#latency('write'));
        if (isFailing) throw failure('EIO', 'the disk could not be written');
        return length;
      },
      datasync: async () => {
        await this.#operate('sync');
        if (!this.#isWriteFailing()) return file.sync();
        file.failSync(this.#random);
        throw failure('EIO', 'the disk could not be synced');
      },
    };
  }

  #isWriteFailing(): boolean {
    return this.faults.writeErrors > 0 && this.#random.fraction() < this.faults.writeErrors;
  }

  #assertWritable(): void {
    if (this.faults.isReadOnly) throw failure('EROFS', 'the file system is read-only');
  }

  #change(path: string, apply: NameChange['apply']): void {
    apply(this.#names);
    this.#unsynced.push({ dir: path.slice(0, path.lastIndexOf('/')), apply });
  }

  /** Delays the operation; it never resolves for a process that has died meanwhile. */
  async #operate(operation: Operation): Promise<void> {
    if (!this.#time.current.isAlive) return EVER;
    this.onOperation(operation, ++this.#operations);
    await this.#time.wait(this.#latency(operation));
  }

  #latency(operation: Operation): number {
    return USUAL_MS[operation] * this.faults.slowness * (0.25 + 1.5 * this.#random.fraction());
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function noSpace(): Error {
  return failure('ENOSPC', 'no space is left on the disk');
}
