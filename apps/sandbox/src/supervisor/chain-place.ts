// Where the sandbox keeps each of its chains: the first at the usual names, every further one with its id in the name.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FIRST_CHAIN_ID } from '@presage/devchain';

export interface ChainPlace {
  readonly chainId: number;
  /** The chain's log and snapshots. */
  readonly chainDir: string;
  readonly deploymentFile: string;
}

export function placeOf(dataDir: string, chainId: number): ChainPlace {
  const suffix = chainId === FIRST_CHAIN_ID ? '' : `-${chainId}`;
  const deploymentFile = join(dataDir, `deployment${suffix}.json`);
  return { chainId, chainDir: join(dataDir, `chain${suffix}`), deploymentFile };
}

/** Chains of earlier starts on this folder that this one leaves alone. */
export async function findIdleChains(dataDir: string, started: readonly number[]): Promise<number[]> {
  const names = await readdir(dataDir).catch(() => []);
  const ids = names.flatMap((name) => /^chain-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return ids.filter((id) => !started.includes(id)).sort((a, b) => a - b);
}
