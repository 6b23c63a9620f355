// Makes PostgreSQL's programs executable for the account that runs them: in place, or else from a private copy.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, findComplaint } from './account.ts';
import { type InstalledPackage, makeLibraryLinks } from './installed-package.ts';
import type { WorkFolder } from './work-folder.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The version in a cluster's PG_VERSION. */
  readonly majorVersion: string;
}

const COPY_PREFIX = 'postgresql-';

export interface FoundBinaries extends PostgresBinaries {
  readonly isCopy: boolean;
}

/** Programs of the previous start are used untested: starting the server on its cluster is test enough. */
export async function findPostgresBinaries(work: WorkFolder, source: InstalledPackage): Promise<FoundBinaries> {
  const copy = toBinaries(copyPlace(work, source), source.version);
  const isCopy = await access(copy.postgres).then(
    () => true,
    () => false,
  );
  return isCopy ? { ...copy, isCopy } : { ...toBinaries(source.native, source.version), isCopy };
}

export async function openPostgresBinaries(work: WorkFolder, source: InstalledPackage): Promise<FoundBinaries> {
  const inPlace = toBinaries(source.native, source.version);
  const isLinked = await makeLibraryLinks(source.native, source.links);
  if (isLinked && (await findFault(inPlace, work.account)) === undefined) return { ...inPlace, isCopy: false };
  return { ...(await openCopy(work, source)), isCopy: true };
}

function toBinaries(native: string, version: string): PostgresBinaries {
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    majorVersion: version.split('.')[0] ?? version,
  };
}

/**
 * Runs the programs: the only test that covers modes, missing libraries, noexec mounts and an incompatible C library.
 */
async function findFault(binaries: PostgresBinaries, account: Account | undefined): Promise<string | undefined> {
  const faults = await Promise.all(
    [binaries.postgres, binaries.initdb].map((program) => findComplaint(program, ['--version'], account)),
  );
  return faults.find((fault) => fault !== undefined);
}

/** Copies about 50 MB once per version: the package may lie under a folder of mode 0700, or belong to another user. */
async function openCopy(work: WorkFolder, source: InstalledPackage): Promise<PostgresBinaries> {
  const place = copyPlace(work, source);
  const binaries = toBinaries(place, source.version);
  if ((await findFault(binaries, work.account)) === undefined) return binaries;
  await removeCopies(work.path);
  const draft = join(work.path, `${COPY_PREFIX}draft-${randomBytes(6).toString('hex')}`);
  await copyTree(source.native, draft);
  await makeLibraryLinks(draft, source.links);
  await rename(draft, place);
  const fault = await findFault(binaries, work.account);
  if (fault === undefined) return binaries;
  throw new Error(`PostgreSQL cannot run on this machine: ${fault}. Set PRESAGE_DATABASE_URL to use another.`);
}

function copyPlace({ path }: WorkFolder, { version }: InstalledPackage): string {
  return join(path, COPY_PREFIX + version);
}

async function removeCopies(folder: string): Promise<void> {
  const copies = (await readdir(folder)).filter((name) => name.startsWith(COPY_PREFIX));
  await Promise.all(copies.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/** Modes are set, not copied: a clone made under umask 077 has files that only its owner reads. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile() && !isForLinkingOnly(entry.name)) await copyProgram(source, target);
  }
}

async function copyProgram(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o755);
}

function isForLinkingOnly(name: string): boolean {
  return name.endsWith('.a') || name.endsWith('.pc');
}
