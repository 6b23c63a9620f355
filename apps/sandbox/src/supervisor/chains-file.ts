// The service's list of chains for the sandbox: where the node is, where the contracts are, and which keys to use.
import { join } from 'node:path';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import { keyOf } from '../chain/sandbox-keys.ts';
import type { SandboxDeployment } from '../deployer/deploy-contracts.ts';

export async function writeChainsFile(dataDir: string, rpcUrl: string, deployment: SandboxDeployment): Promise<string> {
  const { chainId, settlement, conditionalTokens, stablecoin, marketFactory, multicall } = deployment;
  const { oracle, priceOracle, quickMarketFactory, anchors } = deployment;
  const chain = {
    chainId,
    name: 'Presage sandbox',
    rpcUrl,
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
      anchors,
    },
    fromBlock: deployment.blockNumber,
    settlerKey: keyOf('settler').privateKey,
    relayerKey: keyOf('relayer').privateKey,
    ownerAddress: deployment.owner,
    disputerAddress: keyOf('disputer').address,
  };
  const path = toPath(dataDir);
  await writeFileAtomically(path, `${JSON.stringify({ chains: [chain] }, null, 2)}\n`);
  return path;
}

/** The port of the last start on this folder, so that wallets and scripts that know it go on working. */
export async function readChainPort(dataDir: string, fallback: number): Promise<number> {
  try {
    const { chains } = JSON.parse((await readFileIfPresent(toPath(dataDir))) ?? '{}') as {
      chains: [{ rpcUrl: string }];
    };
    return Number(new URL(chains[0].rpcUrl).port) || fallback;
  } catch {
    return fallback;
  }
}

function toPath(dataDir: string): string {
  return join(dataDir, 'chains.json');
}
