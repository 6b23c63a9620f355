// The service's list of chains for the sandbox: where the node is, where the contracts are, and which keys to use.

import { join } from 'node:path';
import { FIRST_CHAIN_ID, keyOf } from '@presage/devchain';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import type { SandboxDeployment } from '../deployer/deploy-contracts.ts';

export interface StartedChain {
  readonly rpcUrl: string;
  readonly deployment: SandboxDeployment;
}

export async function writeChainsFile(dataDir: string, started: readonly StartedChain[]): Promise<string> {
  const path = toPath(dataDir);
  await writeFileAtomically(path, `${JSON.stringify({ chains: started.map(describe) }, null, 2)}\n`);
  return path;
}

function describe({ rpcUrl, deployment }: StartedChain) {
  const { chainId, settlement, conditionalTokens, stablecoin, marketFactory, multicall } = deployment;
  const { oracle, priceOracle, quickMarketFactory, anchors } = deployment;
  return {
    chainId,
    name: chainId === FIRST_CHAIN_ID ? 'Presage sandbox' : `Presage sandbox ${chainId}`,
    rpcUrls: [rpcUrl],
    confirmations: 1,
    minOrderSize: 1,
    // Gas costs nothing here, and the node works on the same cores as the service.
    simulation: 'unproven',
    contracts: {
      settlement,
      conditionalTokens,
      stablecoin,
      marketFactory,
      multicall,
      oracle,
      priceOracle,
      quickMarketFactory,
      anchors,
    },
    fromBlock: deployment.blockNumber,
    settlerKey: keyOf('settler').privateKey,
    relayerKey: keyOf('relayer').privateKey,
    ownerAddress: deployment.owner,
    disputerAddress: keyOf('disputer').address,
  };
}

/** The port of the last start on this folder, so that wallets and scripts that know it keep working. */
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
