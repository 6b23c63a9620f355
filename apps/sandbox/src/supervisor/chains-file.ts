// The folders of the sandbox's chains, and the chains file for the service: nodes, contracts and keys.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FIRST_CHAIN_ID, keyOf } from '@presage/devchain';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import type { SandboxDeployment } from '../deployer/deploy-contracts.ts';
import type { Simulation } from './settings.ts';

export interface StartedChain {
  readonly rpcUrl: string;
  readonly deployment: SandboxDeployment;
}

export async function writeChainsFile(
  dataDir: string,
  started: readonly StartedChain[],
  simulation: Simulation,
): Promise<string> {
  const path = toPath(dataDir);
  const chains = started.map((chain) => ({ ...describe(chain), simulation }));
  await writeFileAtomically(path, `${JSON.stringify({ chains }, null, 2)}\n`);
  return path;
}

function describe({ rpcUrl, deployment }: StartedChain) {
  const { chainId, settlement, conditionalTokens, stablecoin, marketFactory, multicall } = deployment;
  const { oracle, priceOracle, quickMarketFactory, eventFactory, anchors } = deployment;
  return {
    chainId,
    name: chainId === FIRST_CHAIN_ID ? 'Presage sandbox' : `Presage sandbox ${chainId}`,
    rpcUrls: [rpcUrl],
    confirmations: 1,
    minOrderSize: 1,
    contracts: {
      settlement,
      conditionalTokens,
      stablecoin,
      marketFactory,
      multicall,
      oracle,
      priceOracle,
      quickMarketFactory,
      eventFactory,
      anchors,
    },
    fromBlock: deployment.blockNumber,
    settlerKey: keyOf('settler').privateKey,
    relayerKey: keyOf('relayer').privateKey,
    ownerAddress: deployment.owner,
    disputerAddress: keyOf('disputer').address,
    ...(deployment.treasury !== undefined && { treasury: deployment.treasury }),
  };
}

/** The chain's port at the last start on this folder, reused so that wallets and scripts that know it keep working. */
export async function readChainPort(dataDir: string, chainId: number, fallback: number): Promise<number> {
  try {
    const text = (await readFileIfPresent(toPath(dataDir))) ?? '{}';
    const { chains }: { chains: { chainId: number; rpcUrls: [string] }[] } = JSON.parse(text);
    const known = chains.find((chain) => chain.chainId === chainId);
    return known === undefined ? fallback : Number(new URL(known.rpcUrls[0]).port) || fallback;
  } catch {
    return fallback;
  }
}

function toPath(dataDir: string): string {
  return join(dataDir, 'chains.json');
}

export interface ChainPlace {
  readonly chainId: number;
  /** Folder of the chain's log and snapshots. */
  readonly chainDir: string;
  readonly deploymentFile: string;
}

/** The first chain has plain names; every further chain has its id in the names. */
export function placeOf(dataDir: string, chainId: number): ChainPlace {
  const suffix = chainId === FIRST_CHAIN_ID ? '' : `-${chainId}`;
  const deploymentFile = join(dataDir, `deployment${suffix}.json`);
  return { chainId, chainDir: join(dataDir, `chain${suffix}`), deploymentFile };
}

/** Ids of chains of earlier starts on this folder that are not started now. */
export async function findIdleChains(dataDir: string, started: readonly number[]): Promise<number[]> {
  const names = await readdir(dataDir).catch(() => []);
  const ids = names.flatMap((name) => /^chain-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return ids.filter((id) => !started.includes(id)).sort((a, b) => a - b);
}
