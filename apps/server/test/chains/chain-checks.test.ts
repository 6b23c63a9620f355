// What keeps a live chain from being served, on a chain with the sandbox's contracts: nearly everything.
import { type Contracts, createContracts, JsonRpc } from '@presage/chain';
import { presageSettlementBytecode } from '@presage/contracts/bytecode';
import { type ChainProcess, openChainProcess } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../../sandbox/src/chain/sandbox-keys.ts';
import { deployContracts, type SandboxDeployment } from '../../../sandbox/src/deployer/deploy-contracts.ts';
import { findChainFaults, isBuiltFrom } from '../../src/chains/chain-checks.ts';
import type { ChainConfig } from '../../src/config.ts';

let chain: ChainProcess;
let rpc: JsonRpc;
let deployment: SandboxDeployment;

beforeAll(async () => {
  chain = await openChainProcess({ blockIntervalMs: 0, lingerMs: 0 });
  rpc = new JsonRpc({ url: chain.url });
  deployment = await deployContracts({ rpcUrl: chain.url });
});
afterAll(async () => {
  rpc?.close();
  await chain?.stop();
});

function faultsOf(changes: Partial<SandboxDeployment> = {}, keys: { settler?: `0x${string}` } = {}): Promise<string[]> {
  const contracts: Contracts = createContracts({ rpc, deployment: { ...deployment, ...changes } });
  const config = { contracts: { ...deployment, ...changes }, settlementGraceSeconds: 300 } as unknown as ChainConfig;
  const [settler, relayer] = [keys.settler ?? keyOf('settler').address, keyOf('relayer').address];
  return findChainFaults({ chain: config, rpc, contracts, settler, relayer });
}

describe('a live chain', () => {
  it('is refused for a free stablecoin, the oracles of the sandbox and a long grace; its contracts are ours', async () => {
    expect(await faultsOf()).toEqual([
      "the settlement's grace is 3600 s; settlementGraceSeconds allows 300 s",
      'anybody may mint the stablecoin',
      'the optimistic oracle is the one of the sandbox',
      'the price oracle is the one of the sandbox',
    ]);
  });

  it('is refused where its contracts do not belong together', async () => {
    const other = await deployContracts({ rpcUrl: chain.url, settlementGraceSeconds: 120 });
    const mixed = await faultsOf({ conditionalTokens: other.settlement });
    expect(mixed.join('\n')).toMatch(/the settlement's conditional tokens are/);
    expect(mixed.join('\n')).toMatch(/the code of the conditional tokens at .* is not of this version/);
  });

  it('is refused where another operates it, and where the owner signs for the service', async () => {
    const owner = keyOf('owner').address;
    const faults = (await faultsOf({}, { settler: owner })).join('\n');
    expect(faults).toMatch(/operator is .*, not the settler/);
    expect(faults).toMatch(/may not create quick markets/);
    expect(faults).toMatch(/owns a contract and signs for the service/);
  });
});

describe('code', () => {
  it('is ours where it differs in immutables only', async () => {
    const code = (await rpc.request('eth_getCode', [deployment.settlement, 'latest'])) as `0x${string}`;
    expect(isBuiltFrom(code, presageSettlementBytecode)).toBe(true);
    const patched = `${code.slice(0, 100)}${code[100] === 'f' ? '0' : 'f'}${code.slice(101)}` as const;
    expect(isBuiltFrom(patched as `0x${string}`, presageSettlementBytecode)).toBe(false);
    expect(isBuiltFrom('0x', presageSettlementBytecode)).toBe(false);
  });
});
