// What keeps a live chain from being served, on a chain with the contracts of the tests: nearly everything.
import { createContracts } from '@presage/chain';
import { presageSettlementBytecode } from '@presage/contracts/bytecode';
import type { Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { World } from '../../../../contracts/test/world.ts';
import { findChainFaults, isBuiltFrom } from '../../src/chains/chain-checks.ts';
import type { ChainConfig } from '../../src/config.ts';
import { toRpc } from '../in-process-rpc.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

interface Changes {
  readonly stablecoin?: Hex;
  readonly conditionalTokens?: Hex;
  readonly settler?: Hex;
  readonly settlementGraceSeconds?: number;
}

function faultsOf({ settler = world.operator.address, settlementGraceSeconds = 3_600, ...moved }: Changes = {}) {
  const deployment = {
    settlement: world.settlement,
    conditionalTokens: world.shares,
    stablecoin: world.collateral,
    marketFactory: world.factory,
    oracle: world.oracle,
    multicall: world.factory,
    ...moved,
  };
  const rpc = toRpc(world.chain);
  const chain = { contracts: deployment, settlementGraceSeconds } as unknown as ChainConfig;
  const contracts = createContracts({ rpc, deployment });
  return findChainFaults({ chain, rpc, contracts, settler, relayer: testAccount(2).address });
}

describe('a live chain', () => {
  it('is refused for a free stablecoin and for the oracle of the sandbox; its contracts are ours', async () => {
    expect(await faultsOf()).toEqual([
      'anybody may mint the stablecoin',
      'the optimistic oracle is the one of the sandbox',
    ]);
  });

  it('is refused for a grace beyond its setting', async () => {
    expect(await faultsOf({ settlementGraceSeconds: 300 })).toContain(
      "the settlement's grace is 3600 s; settlementGraceSeconds allows 300 s",
    );
  });

  it('is refused where its contracts do not belong together', async () => {
    const faults = (await faultsOf({ conditionalTokens: world.factory })).join('\n');
    expect(faults).toMatch(/the settlement's conditional tokens are/);
    expect(faults).toMatch(/the code of the conditional tokens at .* is not of this version/);
  });

  it('is refused where another operates it, and where an owner signs for the service', async () => {
    const faults = (await faultsOf({ settler: world.owner.address })).join('\n');
    expect(faults).toMatch(/operator is .*, not the settler/);
    expect(faults).toMatch(/owns a contract and signs for the service/);
  });
});

describe('code', () => {
  it('is ours where it differs in immutables only', async () => {
    const code = (await world.chain.client.getCode({ address: world.settlement })) as Hex;
    expect(isBuiltFrom(code, presageSettlementBytecode)).toBe(true);
    const patched = `${code.slice(0, 100)}${code[100] === 'f' ? '0' : 'f'}${code.slice(101)}` as Hex;
    expect(isBuiltFrom(patched, presageSettlementBytecode)).toBe(false);
    expect(isBuiltFrom('0x', presageSettlementBytecode)).toBe(false);
  });
});
