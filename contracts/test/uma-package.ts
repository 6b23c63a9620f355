// Files of UMA's published package, fetched when a test first needs them: an install does without its 74 MB.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOnce } from '../scripts/make-once.ts';

const PACKAGE = '@uma/contracts-node@0.4.28';
const INTEGRITY = 'sha512-1EVZrAqKayndvMA4X3JvCje66/1nIfZRPn+AhuCKnLnbNmA28/7UFUQjVF8SdeSkHULUnSAJyfCaIntczqcK1Q==';
const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));
const CONTRACTS = 'dist/packages/core/artifacts/contracts';
const MECHANISM = `${CONTRACTS}/data-verification-mechanism`;

/** What tests read of the package, by the names that they use. */
const FILES = {
  finder: `${MECHANISM}/implementation/Finder.sol/Finder.json`,
  store: `${MECHANISM}/implementation/Store.sol/Store.json`,
  identifiers: `${MECHANISM}/implementation/IdentifierWhitelist.sol/IdentifierWhitelist.json`,
  vote: `${MECHANISM}/test/MockOracleAncillary.sol/MockOracleAncillary.json`,
  currencies: `${CONTRACTS}/common/implementation/AddressWhitelist.sol/AddressWhitelist.json`,
  oracle: `${CONTRACTS}/optimistic-oracle-v3/implementation/OptimisticOracleV3.sol/OptimisticOracleV3.json`,
  /** Holds the addresses of UMA's deployments. */
  addresses: 'dist/packages/contracts-node/generated/index.js',
} as const;

type UmaFiles = Readonly<Record<keyof typeof FILES, string>>;

/** Text of each file. */
export function readUmaFiles(): UmaFiles {
  mkdirSync(CACHE, { recursive: true });
  return JSON.parse(makeOnce(join(CACHE, 'uma-contracts-node-0.4.28.json'), () => JSON.stringify(fetchFiles())));
}

function fetchFiles(): Record<string, string> {
  const dir = mkdtempSync(join(tmpdir(), 'presage-uma-'));
  try {
    const tarball = join(dir, fetchPackage(dir));
    assertIntegrity(tarball);
    execFileSync('tar', ['xzf', tarball, '-C', dir, ...Object.values(FILES).map((path) => `package/${path}`)]);
    const read = (path: string) => readFileSync(join(dir, 'package', path), 'utf8');
    return Object.fromEntries(Object.entries(FILES).map(([name, path]) => [name, read(path)]));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The name of the tarball. */
function fetchPackage(dir: string): string {
  try {
    const pack = ['pack', PACKAGE, '--silent', '--pack-destination', dir];
    return execFileSync('npm', pack, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (cause) {
    throw new Error(`${PACKAGE}, which tests of UMA's oracle need once, could not be fetched. Connect to a registry.`, {
      cause,
    });
  }
}

function assertIntegrity(tarball: string): void {
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (`sha512-${digest}` !== INTEGRITY)
    throw new Error(`${PACKAGE} is not what was published before: sha512-${digest}`);
}
