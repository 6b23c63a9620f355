// Data folders of earlier versions: where they are kept, how one is opened, and what the traders in it had done.
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { walletOf } from '@presage/testkit';

/** What a data folder needs to start again: everything else is a cache, or belongs to one machine. */
const KEPT = ['chain/log', 'deployment.json', 'service/journal', 'service/operator-key', 'service/receipt-key'];

export interface KeptFolder {
  /** Folder of `fixtures`. */
  readonly name: string;
  /** Part of the question of the market that was traded in. */
  readonly question: string;
  /** Names that the wallets of the two traders follow from. */
  readonly seller: string;
  readonly buyer: string;
}

export function archiveOf(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}/data-folder.tar.gz`, import.meta.url));
}

/** Both traders of a release: ann sold 2 shares to ben at 0.4 and offers 3 more. */
export function keptRelease(version: string): KeptFolder {
  return {
    name: `release-${version}`,
    question: `release ${version}`,
    seller: `release ${version} ann`,
    buyer: `release ${version} ben`,
  };
}

export function tradersOf({ seller, buyer }: KeptFolder) {
  return { ann: walletOf(seller), ben: walletOf(buyer) };
}

export async function unpack(name: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), `presage-${name}-`));
  // PostgreSQL runs under another account and must be able to pass.
  await chmod(dataDir, 0o711);
  execFileSync('tar', ['xzf', archiveOf(name), '-C', dataDir]);
  return dataDir;
}

/** Packs the folder of a stopped sandbox; preallocated segments are mostly zeros and take almost nothing. */
export function pack(dataDir: string, name: string): void {
  const lock = ['--exclude=lock-*', '--exclude=memory-*'];
  execFileSync('tar', ['czf', archiveOf(name), ...lock, '-C', dataDir, ...KEPT]);
}
