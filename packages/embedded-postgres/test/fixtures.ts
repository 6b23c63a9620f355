// Folders, servers and connections of these tests, each removed when its test ends.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dropTemplateDatabases } from '@presage/testkit';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from '../src/embedded-postgres.ts';
import { readAccess } from '../src/work-folder.ts';

const run = promisify(execFile);

export const IS_ROOT = process.getuid?.() === 0;

/** Passable for others unless `mode` says otherwise, so that a service of root keeps its database inside. */
export async function makeDataDir(mode = 0o755): Promise<string> {
  const folder = await makeKeptDataDir(mode);
  onTestFinished(() => removeDataDir(folder));
  return folder;
}

/** For several tests: whoever makes it removes it. */
export async function makeKeptDataDir(mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-store-'));
  await chmod(folder, mode);
  return folder;
}

/** Copies of a data folder in which a server has run and stopped: for what is not about the making of one, which takes ten times as long. */
export class UsedDataDirs {
  #original: Promise<string> | undefined;

  async make(): Promise<string> {
    this.#original ??= useOnce();
    const folder = await makeDataDir();
    await run('cp', ['-a', `${await this.#original}/.`, folder]);
    return folder;
  }

  async removeOriginal(): Promise<void> {
    const original = await this.#original;
    if (original !== undefined) await rm(original, { recursive: true, force: true });
  }
}

async function useOnce(): Promise<string> {
  const dataDir = await makeKeptDataDir();
  const server = await EmbeddedPostgres.open({ dataDir });
  await dropTemplateDatabases(server.url);
  await server.close();
  return dataDir;
}

export async function removeDataDir(folder: string): Promise<void> {
  const access = await readAccess(join(folder, 'database'));
  if (access?.outside) await rm(access.outside, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

export async function openServer(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.open(options);
  onTestFinished(() => server.close());
  return server;
}

export function connect(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

/** Synced to disk, unlike what the view usually commits. */
export async function writeNote(url: string, text: string): Promise<void> {
  await connect(url).begin(async (sql) => {
    await sql`set local synchronous_commit = on`;
    await sql`create table if not exists note (text text)`;
    await sql`insert into note values (${text})`;
  });
}

export async function readNotes(url: string): Promise<string[]> {
  const rows = await connect(url)<{ text: string }[]>`select text from note order by text`;
  return rows.map((row) => row.text);
}
