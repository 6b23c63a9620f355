// Backs up a data folder, whether or not its service runs: consistent over all partitions, and incremental.
import { chmod, copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { COPY_START, type CopyPoint, JournalCopy } from '@presage/journal';
import { isErrorCode, readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { UsageError } from '../exit-codes.ts';
import { readDataFolder } from './data-folder.ts';

export interface Manifest {
  readonly format: 'presage-backup 1';
  readonly takenAt: string;
  /** End of each copied journal, by its folder below the data folder. */
  readonly journals: Readonly<Record<string, CopyPoint>>;
}

const NAME = 'backup.json';
const FORMAT = 'presage-backup 1';

/** Undefined if the folder has no manifest. The manifest names no journals until the first backup is complete. */
export async function readManifest(dir: string): Promise<Manifest | undefined> {
  const text = await readFileIfPresent(join(dir, NAME));
  if (text === undefined) return undefined;
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format === FORMAT) return manifest;
  throw new UsageError(`${dir} holds a backup of another format`, 'Use the version of presage that wrote it.');
}

function writeManifest(dir: string, journals: Manifest['journals']): Promise<void> {
  const manifest: Manifest = { format: FORMAT, takenAt: new Date().toISOString(), journals };
  return writeFileAtomically(join(dir, NAME), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

export interface CopiedJournal {
  readonly journal: string;
  readonly records: number;
  readonly added: number;
  readonly head: string;
}

/*
 * One process writes all partitions of a service with one clock, and a frame that follows from another never carries an earlier
 * time. So all frames up to one time are a state that the service was in. The first pass copies everything that is there; the
 * second adds the newer frames up to the latest time that the first pass has seen in any partition.
 */
export async function takeBackup(root: string, to: string): Promise<CopiedJournal[]> {
  const { journals, chainLogs, files } = await readDataFolder(root);
  if (journals.length === 0) {
    throw new UsageError(
      `there is no journal in ${root}`,
      'Name the data directory with --data-dir or PRESAGE_DATA_DIR.',
    );
  }
  const previous = await openTarget(to);
  const open = (journal: string) =>
    JournalCopy.open({ from: join(root, journal), to: join(to, journal), at: previous[journal] ?? COPY_START });
  const copies = await Promise.all(journals.map(open));
  for (const copy of copies) await copy.copy();
  const cutMs = Math.max(...copies.map(({ timeMs }) => timeMs));
  for (const copy of copies) await copy.copy(cutMs);
  // The backup may lie inside the data folder and must not copy itself.
  const own = relative(root, to) + sep;
  for (const file of files) if (!file.startsWith(own)) await keepFile(root, to, file);
  const chains = await Promise.all(chainLogs.map(open));
  for (const chain of chains) await chain.copy();
  const all = [...copies, ...chains];
  for (const copy of all) await copy.finish();
  const names = [...journals, ...chainLogs];
  const points = Object.fromEntries(names.map((name, index) => [name, all[index]!.point]));
  await writeManifest(to, points);
  return names.map((journal, index) => {
    const { lastSeq, headHash } = all[index]!.point;
    return { journal, records: lastSeq, added: lastSeq - (previous[journal]?.lastSeq ?? 0), head: headHash };
  });
}

/** Journals that the target already holds. Refuses a service's own data: copying deletes segments that the target's manifest does not name. */
async function openTarget(to: string): Promise<Manifest['journals']> {
  const elsewhere = 'Name a new folder, or one that presage backup has written.';
  await mkdir(to, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw isErrorCode(error, 'EEXIST') ? new UsageError(`${to} is not a folder`, elsewhere) : error;
  });
  const manifest = await readManifest(to);
  const { journals, chainLogs } = await readDataFolder(to);
  if (manifest === undefined && journals.length + chainLogs.length > 0) {
    throw new UsageError(`${to} holds journals and is not a backup`, elsewhere);
  }
  await chmod(to, 0o700);
  // Written before the copy too, so that a run after an interrupted one recognizes the folder as a backup.
  if (manifest === undefined) await writeManifest(to, {});
  return manifest?.journals ?? {};
}

/** Copies atomically, for the owner's eyes only: some of these files are keys. */
async function keepFile(root: string, to: string, file: string): Promise<void> {
  const target = join(to, file);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await copyFile(join(root, file), `${target}.tmp`);
  await chmod(`${target}.tmp`, 0o600);
  await rename(`${target}.tmp`, target);
}
