// Prepares the service's first start while the contracts are deployed: bundles its program and creates its database files.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RUN } from './child.ts';
import { SERVICE_MAIN } from './service-process.ts';
import type { Environment } from './settings.ts';

const run = promisify(execFile);

/** Ignores failures: the service creates what is missing, and reports the error itself. */
export async function prepareService({ PRESAGE_DATABASE_URL }: Environment, serviceDir: string): Promise<void> {
  const bundling = run(process.execPath, [RUN, '--only-bundle', SERVICE_MAIN]);
  await Promise.allSettled([bundling, PRESAGE_DATABASE_URL ? undefined : prepareDatabase(serviceDir)]);
}

async function prepareDatabase(serviceDir: string): Promise<void> {
  const { EmbeddedPostgres } = await import('@presage/embedded-postgres');
  await EmbeddedPostgres.prepare(serviceDir);
}
