// Writes finished days into the archive's folder, or compares them with it. A day is written to a work folder and moved into place whole.
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeFileAtomically } from '@presage/runtime/node';
import {
  type ArchivedPartition,
  type ArchivePiece,
  archiveFileName,
  MANIFEST_NAME,
  writeManifest,
} from '@presage/sdk/archive';

export interface DayOutcome {
  readonly day: string;
  /** same: the folder already has this day. differs: the folder has other content. missing: a comparison found no such day. */
  readonly outcome: 'written' | 'same' | 'differs' | 'missing';
  readonly detail?: string;
}

/** Readable by every user, such as the web server that publishes the folder. */
const PUBLIC_FILE = 0o644;

interface Growing {
  readonly hash: Hash;
  readonly file: FileHandle | undefined;
  bytes: number;
}

export class ArchiveDays {
  readonly #root: string;
  readonly #isComparing: boolean;
  /** Files of unfinished days, by day and partition and then by name. */
  readonly #growing = new Map<string, Map<string, Growing>>();
  readonly #ended = new Map<string, ArchivedPartition[]>();

  constructor(root: string, { isComparing }: { readonly isComparing: boolean }) {
    this.#root = root;
    this.#isComparing = isComparing;
  }

  async take(partition: string, piece: ArchivePiece): Promise<void> {
    if ('end' in piece) await this.#end(partition, piece);
    else await this.#grow(partition, piece);
  }

  /** Publishes or compares every day that has ended in all partitions with frames of it; drops days that are unfinished in any. */
  async close(): Promise<DayOutcome[]> {
    const unfinished = new Set([...this.#growing.keys()].map(dayOf));
    for (const files of this.#growing.values()) for (const { file } of files.values()) await file?.close();
    for (const day of unfinished) await rm(this.#workFolder(day), { recursive: true, force: true });
    const days = [...this.#ended.keys()].filter((day) => !unfinished.has(day)).sort();
    const outcomes: DayOutcome[] = [];
    for (const day of days) outcomes.push(await this.#settle(day, this.#ended.get(day) ?? []));
    return outcomes;
  }

  async #grow(partition: string, { day, file, text }: Extract<ArchivePiece, { text: string }>): Promise<void> {
    const key = keyOf(day, partition);
    const files = this.#growing.get(key) ?? new Map<string, Growing>();
    this.#growing.set(key, files);
    const name = archiveFileName(partition, file);
    const growing = files.get(name) ?? (await this.#open(day, name));
    files.set(name, growing);
    growing.hash.update(text);
    growing.bytes += Buffer.byteLength(text);
    // Unlike `write`, `appendFile` never stops half way on a disk that is nearly full.
    await growing.file?.appendFile(text);
  }

  async #open(day: string, name: string): Promise<Growing> {
    const growing = { hash: createHash('sha256'), bytes: 0 };
    if (this.#isComparing) return { ...growing, file: undefined };
    await mkdir(this.#workFolder(day), { recursive: true });
    return { ...growing, file: await open(join(this.#workFolder(day), name), 'w') };
  }

  async #end(partition: string, { day, end }: Extract<ArchivePiece, { end: object }>): Promise<void> {
    const key = keyOf(day, partition);
    const own = this.#growing.get(key) ?? new Map<string, Growing>();
    const files = [...own].map(
      ([name, { hash, bytes }]) => ({ name, sha256: `0x${hash.digest('hex')}`, bytes }) as const,
    );
    for (const { file } of own.values()) {
      await file?.sync();
      await file?.close();
    }
    this.#growing.delete(key);
    this.#ended.set(day, [...(this.#ended.get(day) ?? []), { partition, ...end, files }]);
  }

  async #settle(day: string, partitions: readonly ArchivedPartition[]): Promise<DayOutcome> {
    const manifest = writeManifest(day, partitions);
    const folder = join(this.#root, day);
    const known = await readFile(join(folder, MANIFEST_NAME), 'utf8').catch(() => undefined);
    if (known === undefined && !this.#isComparing) return this.#publish(day, manifest);
    await rm(this.#workFolder(day), { recursive: true, force: true });
    if (known === undefined) return { day, outcome: 'missing' };
    const detail = known === manifest ? await this.#damaged(folder, partitions) : 'the manifest differs';
    return detail === undefined ? { day, outcome: 'same' } : { day, outcome: 'differs', detail };
  }

  async #publish(day: string, manifest: string): Promise<DayOutcome> {
    await writeFileAtomically(join(this.#workFolder(day), MANIFEST_NAME), manifest, PUBLIC_FILE);
    // A folder without a manifest is left over from an interrupted run.
    await rm(join(this.#root, day), { recursive: true, force: true });
    await rename(this.#workFolder(day), join(this.#root, day));
    await syncDirectory(this.#root);
    return { day, outcome: 'written' };
  }

  /** The first file that is missing or whose hash differs from the manifest's; undefined if all match. */
  async #damaged(folder: string, partitions: readonly ArchivedPartition[]): Promise<string | undefined> {
    for (const { name, sha256 } of partitions.flatMap(({ files }) => files)) {
      const found = await hashOf(join(folder, name)).catch(() => undefined);
      if (found !== sha256) return found === undefined ? `${name} is missing` : `${name} has another hash`;
    }
    return undefined;
  }

  #workFolder(day: string): string {
    return join(this.#root, `.new-${day}`);
  }
}

function keyOf(day: string, partition: string): string {
  return `${day} ${partition}`;
}

function dayOf(key: string): string {
  return key.split(' ')[0] ?? '';
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk);
  } finally {
    await file.close();
  }
  return `0x${hash.digest('hex')}`;
}
