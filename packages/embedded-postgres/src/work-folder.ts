// Finds a folder in which the account of PostgreSQL can work: inside the data folder or, if that is inaccessible, outside.
import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { type Account, chooseAccount, findComplaint, isRoot } from './account.ts';

export interface WorkFolder {
  readonly path: string;
  /** Undefined means the service's own account. */
  readonly account: Account | undefined;
}

export const OUTSIDE_PREFIX = 'presage-database-';
/** File in an outside folder that names the data folder it serves. */
export const OWNER_FILE = 'belongs-to';

/** `folder` is the database's part of the data folder, as a real path. */
export async function openWorkFolder(folder: string, access: Access): Promise<WorkFolder> {
  if (access.outside !== undefined && (await servesFolder(access.outside, folder))) {
    const known = await prepare(join(access.outside, 'work'));
    if (known) return known;
  }
  return (await prepare(join(folder, 'work'))) ?? (await createOutside(folder, access));
}

/*
 * Root may keep its data under a folder of mode 0700, which the unprivileged account cannot enter; and some mounts know
 * no owners or modes. Opening the data folder to others would expose the journal, so the database, which is only a
 * view, goes elsewhere.
 */
async function createOutside(folder: string, access: Access): Promise<WorkFolder> {
  for (const base of listOutsideBases(folder)) {
    const outside = join(base, `${OUTSIDE_PREFIX}${randomBytes(6).toString('hex')}`);
    // Recorded before it is created: the sweep of abandoned folders must never see it unclaimed.
    await writeAccess(folder, { ...access, outside });
    const work = await makeOutside(outside, folder).catch(() => undefined);
    if (work) return work;
  }
  throw new Error(
    `No folder can be used for the embedded database: ${describeAccount()} cannot work in ${folder}, ` +
      `${listOutsideBases(folder).join(', ')}. Set PRESAGE_DATA_DIR to a folder it can reach, or PRESAGE_DATABASE_URL.`,
  );
}

async function makeOutside(outside: string, folder: string): Promise<WorkFolder | undefined> {
  await mkdir(outside, { mode: 0o711 });
  await chmod(outside, 0o711);
  await writeFile(join(outside, OWNER_FILE), folder, { mode: 0o600 });
  return prepare(join(outside, 'work'));
}

/** The name was drawn at random and the folder belongs to us, so nobody can have replaced it. */
async function servesFolder(outside: string, folder: string): Promise<boolean> {
  try {
    const { uid } = await lstat(outside);
    return uid === process.getuid?.() && (await readFile(join(outside, OWNER_FILE), 'utf8')) === folder;
  } catch {
    return false;
  }
}

/** Temporary data goes to a temporary folder; permanent data to one that no cleaner of old files visits. */
export function listOutsideBases(folder: string): string[] {
  const temporary = [tmpdir(), '/var/tmp', '/tmp'];
  const isTemporary = temporary.some((base) => folder.startsWith(base + sep));
  return [...new Set(isTemporary ? temporary : ['/var/lib', ...temporary])];
}

async function prepare(path: string): Promise<WorkFolder | undefined> {
  const isNew = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  const account = await claim(path).catch(() => 'refused' as const);
  if (account !== 'refused' && (await isUsable(path, account))) return { path, account };
  if (isNew) await rmdir(path);
  return undefined;
}

async function claim(path: string): Promise<Account | undefined> {
  const stats = await lstat(path);
  const account = chooseAccount(stats);
  if (account && stats.uid === 0) await chown(path, account.uid, account.gid);
  if ((stats.mode & 0o777) !== 0o700) await chmod(path, 0o700);
  return account;
}

/** Asks the system rather than computing from modes: access lists, mounts and namespaces matter too. */
async function isUsable(path: string, account: Account | undefined): Promise<boolean> {
  const { uid, mode } = await lstat(path);
  if (uid !== (account?.uid ?? process.getuid?.()) || (mode & 0o777) !== 0o700) return false;
  const complaint = await findComplaint('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', path], account);
  return complaint === undefined;
}

function describeAccount(): string {
  return isRoot() ? 'PostgreSQL does not run as root, and the unprivileged user 65534' : 'this user';
}

/** Password and location of the embedded database, readable by the service alone. */
export interface Access {
  readonly password: string;
  /** The work folder, if it could not be inside the data folder. */
  readonly outside?: string;
}

const PASSWORD = /^[0-9a-f]{64}$/;

export function createAccess(): Access {
  return { password: randomBytes(32).toString('hex') };
}

/** Undefined if there is none or it is unreadable: the database is then recreated. */
export async function readAccess(folder: string): Promise<Access | undefined> {
  try {
    return parseAccess(JSON.parse((await readFileIfPresent(accessPath(folder))) ?? 'null'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function writeAccess(folder: string, access: Access): Promise<void> {
  await writeFileAtomically(accessPath(folder), `${JSON.stringify(access)}\n`);
}

function accessPath(folder: string): string {
  return join(folder, 'access.json');
}

function parseAccess(value: unknown): Access | undefined {
  if (typeof value !== 'object' || value === null || !('password' in value)) return undefined;
  const { password } = value;
  if (typeof password !== 'string' || !PASSWORD.test(password)) return undefined;
  return 'outside' in value && typeof value.outside === 'string' ? { password, outside: value.outside } : { password };
}
