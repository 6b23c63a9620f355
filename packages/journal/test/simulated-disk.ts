// A disk in memory that loses power like a real one: unsynced sectors survive or not, each for itself.

import type { SeededRandom } from '@presage/testkit';
import type { JournalFile, JournalFiles } from '../src/index.ts';

const SECTOR_BYTES = 512;

class SimulatedFile {
  #content: Buffer = Buffer.alloc(0);
  #durable: Buffer = Buffer.alloc(0);
  readonly #dirty = new Set<number>();

  get content(): Buffer {
    return this.#content;
  }

  write(source: Uint8Array, position: number): void {
    const end = position + source.length;
    if (end > this.#content.length) this.#content = resized(this.#content, end);
    this.#content.set(source, position);
    for (let sector = Math.floor(position / SECTOR_BYTES); sector * SECTOR_BYTES < end; sector++)
      this.#dirty.add(sector);
  }

  sync(): void {
    this.#keep([...this.#dirty], this.#content.length);
  }

  losePower(random: SeededRandom): void {
    const size = random.below(2) === 0 ? this.#durable.length : this.#content.length;
    this.#keep(
      [...this.#dirty].filter(() => random.below(2) === 0),
      size,
    );
    this.#content = Buffer.from(this.#durable);
  }

  #keep(sectors: readonly number[], size: number): void {
    this.#durable = resized(this.#durable, size);
    for (const sector of sectors) {
      const start = sector * SECTOR_BYTES;
      if (start < size) this.#content.copy(this.#durable, start, start, Math.min(start + SECTOR_BYTES, size));
    }
    this.#dirty.clear();
  }
}

function resized(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  bytes.copy(copy);
  return copy;
}

export class SimulatedDisk implements JournalFiles {
  #names = new Map<string, SimulatedFile>();
  #durableNames = new Map<string, SimulatedFile>();
  #unsyncedNames: ((names: Map<string, SimulatedFile>) => void)[] = [];
  #operationsLeft = Number.POSITIVE_INFINITY;

  /** Puts these files and nothing else on the disk, durably. */
  load(files: ReadonlyMap<string, Uint8Array>): void {
    this.#names.clear();
    for (const [path, bytes] of files) {
      const file = new SimulatedFile();
      file.write(bytes, 0);
      file.sync();
      this.#names.set(path, file);
    }
    this.#durableNames = new Map(this.#names);
    this.#unsyncedNames = [];
  }

  contents(): Map<string, Buffer> {
    return new Map([...this.#names].map(([path, file]) => [path, Buffer.from(file.content)]));
  }

  /** The power fails during the operation after `operations` more; from then on all of them fail. */
  failPowerAfter(operations: number): void {
    this.#operationsLeft = operations;
  }

  /** What a process finds that starts after another was killed: everything that it did, synced or not. */
  startProcess(): void {
    this.#operationsLeft = Number.POSITIVE_INFINITY;
  }

  /** What a machine finds that starts again after the power failed. */
  restart(random: SeededRandom): void {
    const survived = this.#unsyncedNames.slice(0, random.below(this.#unsyncedNames.length + 1));
    for (const change of survived) change(this.#durableNames);
    this.#unsyncedNames = [];
    this.#names = new Map(this.#durableNames);
    for (const file of this.#names.values()) file.losePower(random);
    this.#operationsLeft = Number.POSITIVE_INFINITY;
  }

  async makeDir(): Promise<void> {}

  async list(dir: string): Promise<string[]> {
    const inside = [...this.#names.keys()].filter((path) => path.startsWith(`${dir}/`));
    return inside.map((path) => path.slice(dir.length + 1));
  }

  async open(path: string, mode: 'read' | 'write' | 'create'): Promise<JournalFile> {
    const there = this.#names.get(path);
    if (mode === 'create') {
      if (there) throw fileError(`${path} exists`, 'EEXIST');
      const made = new SimulatedFile();
      this.#rename((names) => names.set(path, made));
      return this.#handle(made);
    }
    if (!there) throw fileError(`${path} is not there`, 'ENOENT');
    return this.#handle(there);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#rename((names) => {
      const file = names.get(from);
      names.delete(from);
      if (file) names.set(to, file);
    });
  }

  async remove(path: string): Promise<void> {
    if (this.#names.has(path)) this.#rename((names) => names.delete(path));
  }

  async modifiedMs(): Promise<number> {
    return 0;
  }

  async syncDir(): Promise<void> {
    this.#spendOperation();
    for (const change of this.#unsyncedNames) change(this.#durableNames);
    this.#unsyncedNames = [];
  }

  #handle(file: SimulatedFile): JournalFile {
    return {
      size: async () => file.content.length,
      read: async (target, position) => file.content.copy(target, 0, position, position + target.length),
      close: async () => {},
      write: async (source, position) => {
        // The write that the power fails in may reach any of its sectors.
        if (this.#operationsLeft >= 0) file.write(source, position);
        this.#spendOperation();
        return source.length;
      },
      datasync: async () => {
        this.#spendOperation();
        file.sync();
      },
    };
  }

  #rename(change: (names: Map<string, SimulatedFile>) => void): void {
    this.#spendOperation();
    change(this.#names);
    this.#unsyncedNames.push(change);
  }

  #spendOperation(): void {
    if (this.#operationsLeft-- <= 0) {
      this.#operationsLeft = -1;
      throw new Error('the power failed');
    }
  }
}

/** Without a stack: the journal asks for a file that is mostly not there at every opening, and the stack took as long as the rest. */
function fileError(message: string, code: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(message), { code });
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}
