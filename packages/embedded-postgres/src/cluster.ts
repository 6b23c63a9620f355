// Creates a PostgreSQL cluster atomically.
import { randomBytes } from 'node:crypto';
import { chown, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findComplaint } from './account.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { WorkFolder } from './work-folder.ts';

export const SUPERUSER = 'presage';

const DRAFT_PREFIX = 'cluster-draft-';

export function clusterPath(work: WorkFolder): string {
  return join(work.path, 'cluster');
}

/** False if there is none, or one of another major version: the view is then rebuilt rather than upgraded. */
export async function hasCluster(work: WorkFolder, binaries: PostgresBinaries): Promise<boolean> {
  const version = await readFile(join(clusterPath(work), 'PG_VERSION'), 'utf8').catch(() => '');
  return version.trim() === binaries.majorVersion;
}

/** Creates a cluster and replaces the present one, if any. */
export async function createCluster(work: WorkFolder, binaries: PostgresBinaries, password: string): Promise<void> {
  await removeDrafts(work);
  const draft = join(work.path, DRAFT_PREFIX + randomBytes(6).toString('hex'));
  const passwordFile = `${draft}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (work.account) await chown(passwordFile, work.account.uid, work.account.gid);
  const complaint = await findComplaint(binaries.initdb, listInitOptions(draft, passwordFile), work.account);
  await rm(passwordFile);
  if (complaint !== undefined)
    throw new Error(`The embedded database could not be created: ${complaint}. ${toRemedy(complaint)}`);
  await putInPlace(work, draft);
}

/** Chooses the remedy: containers often run as a user id without a name, which initdb refuses. */
function toRemedy(complaint: string): string {
  const own = 'set PRESAGE_DATABASE_URL to use a server of your own';
  return /could not look up effective user/.test(complaint)
    ? `Run the service as a user that /etc/passwd lists, or ${own}.`
    : `Mend that, or ${own}.`;
}

/** Renames it first: a cluster that was half removed when the service died could still start, and fail later. */
async function putInPlace(work: WorkFolder, draft: string): Promise<void> {
  await rename(clusterPath(work), `${draft}-previous`).catch(() => undefined);
  await rename(draft, clusterPath(work));
  await removeDrafts(work);
}

/** Best effort: the initdb of a service that was just killed may still be writing into one. */
async function removeDrafts(work: WorkFolder): Promise<void> {
  const drafts = (await readdir(work.path)).filter((name) => name.startsWith(DRAFT_PREFIX));
  const remove = (name: string) => rm(join(work.path, name), { recursive: true, force: true });
  await Promise.all(drafts.map((name) => remove(name).catch(() => undefined)));
}

function listInitOptions(cluster: string, passwordFile: string): string[] {
  return [
    `--pgdata=${cluster}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same sort order and letter cases on every machine, regardless of its locales.
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // The default of 16 MB per segment is a third of a fresh cluster.
    '--wal-segsize=4',
    // Spares initdb its search for limits; the server gets its settings on the command line.
    '--set=max_connections=32',
    '--set=shared_buffers=32MB',
    // A power loss in the first seconds leaves a broken cluster, which the next start replaces: it is only a view.
    '--no-sync',
    '--no-instructions',
  ];
}
