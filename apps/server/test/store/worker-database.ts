// Empty databases for tests that only need one: on one PostgreSQL server for all files of a worker, which ends with the worker.
import { spawn } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import postgres from 'postgres';
import { openStore, type Store } from '../../src/store/open.ts';

/** Files of a worker run one after the other, and a server costs as much as ten databases on it. */
let started: Promise<EmbeddedPostgres> | undefined;
/** No longer in use: to empty one takes a fifth of what it takes to create one. */
const idle: string[] = [];
let count = 0;

const EMPTY = `do $$ declare name text; begin
  for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
    execute format('drop schema %I cascade', name);
  end loop;
  create schema public;
end $$`;

export async function openEmptyStore(): Promise<Store> {
  started ??= startServer();
  const url = new URL((await started).url);
  const former = idle.pop();
  const name = former ?? `test_${++count}`;
  if (former === undefined) await run(url.href, `create database ${name}`);
  url.pathname = name;
  if (former !== undefined) await run(url.href, EMPTY);
  const store = await openStore({ databaseUrl: url.href, dataDir: '' });
  const close = async () => {
    await store.close();
    idle.push(name);
  };
  return { ...store, close };
}

async function run(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(statement);
  await sql.end();
}

async function startServer(): Promise<EmbeddedPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-worker-'));
  // Passable, so that the database of a test run by root stays inside and goes with it.
  await chmod(dataDir, 0o755);
  const server = await EmbeddedPostgres.open({ dataDir });
  // The server ends when its pipe to this process does, however the worker is ended; what removes the folder does so, too.
  const removal = `read -r _; while kill -0 ${server.pid} 2>/dev/null; do sleep 0.1; done; rm -rf "$1"`;
  spawn('/bin/sh', ['-c', removal, 'sh', dataDir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).unref();
  return server;
}
