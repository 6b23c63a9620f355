// The deployer puts the contracts on a chain once, however often and however badly it is interrupted.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  eventFactoryAbi,
  marketFactoryAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketFactoryAbi,
  testStablecoinAbi,
} from '@presage/contracts';
import { keyOf } from '@presage/devchain';
import type { Hex } from '@presage/protocol';
import { createPublicClient, encodeFunctionData, http } from 'viem';
import { describe, expect, it } from 'vitest';
import { CREATOR_ROLE, OPERATOR_ROLE } from '../../../packages/chain/src/setup/deploy/contract-plan.ts';
import { multicall3Bytecode } from '../../../packages/chain/src/setup/deploy/multicall3-bytecode.ts';
import {
  ask,
  makeDataDir,
  readBlock,
  SOMEBODY,
  shareChain,
  startChain,
} from '../../../packages/devchain/test/chain-client.ts';
import { deployContracts } from '../src/deployer/deploy-contracts.ts';

describe('the deployer', () => {
  const chain = shareChain();

  it('deploys contracts that know each other and gives the roles', async () => {
    const deployment = await deployContracts({ rpcUrl: chain.url });
    const reader = createPublicClient({ transport: http(chain.url) });
    const settlement = { address: deployment.settlement, abi: presageSettlementAbi } as const;
    const factory = { address: deployment.marketFactory, abi: marketFactoryAbi } as const;
    expect(deployment).toMatchObject({ chainId: 31337, owner: keyOf('owner').address, settlementGraceSeconds: 3_600 });
    expect(await reader.readContract({ ...settlement, functionName: 'collateral' })).toBe(deployment.stablecoin);
    expect(await reader.readContract({ ...settlement, functionName: 'conditionalTokens' })).toBe(
      deployment.conditionalTokens,
    );
    expect(await reader.readContract({ ...settlement, functionName: 'OPERATOR_ROLE' })).toBe(OPERATOR_ROLE);
    expect(await reader.readContract({ ...factory, functionName: 'CREATOR_ROLE' })).toBe(CREATOR_ROLE);
    expect(await reader.readContract({ ...factory, functionName: 'settlement' })).toBe(deployment.settlement);
    const mayCreate = (account: Hex) =>
      reader.readContract({ ...factory, functionName: 'hasRole', args: [CREATOR_ROLE, account] });
    const maySettle = (account: Hex) =>
      reader.readContract({ ...settlement, functionName: 'hasRole', args: [OPERATOR_ROLE, account] });
    expect(await maySettle(keyOf('settler').address)).toBe(true);
    expect(await maySettle(keyOf('relayer').address)).toBe(false);
    for (const role of ['owner', 'settler', 'relayer'] as const)
      expect(await mayCreate(keyOf(role).address)).toBe(true);
    expect(await mayCreate(keyOf('demoWallet').address)).toBe(false);
    const quick = { address: deployment.quickMarketFactory!, abi: quickMarketFactoryAbi } as const;
    const mayMakeQuick = { ...quick, functionName: 'hasRole', args: [CREATOR_ROLE, keyOf('settler').address] } as const;
    expect(await reader.readContract(mayMakeQuick)).toBe(true);
    const events = { address: deployment.eventFactory!, abi: eventFactoryAbi } as const;
    const mayMakeEvents = { ...events, functionName: 'hasRole', args: [CREATOR_ROLE, keyOf('owner').address] } as const;
    expect(await reader.readContract(mayMakeEvents)).toBe(true);
    expect(await reader.readContract({ ...events, functionName: 'settlement' })).toBe(deployment.settlement);
    const oracle = { address: deployment.priceOracle!, abi: priceOracleAbi } as const;
    expect(await reader.readContract({ ...oracle, functionName: 'feedSigner' })).toBe(keyOf('feedSigner').address);
    const prices = await reader.multicall({
      multicallAddress: deployment.multicall,
      contracts: [
        { ...factory, functionName: 'bond' },
        { ...settlement, functionName: 'paused' },
      ],
    });
    expect(prices.map(({ result }) => result)).toEqual([deployment.bondAmount, false]);
  });

  it('sends nothing the second time and answers the same', async () => {
    const first = await deployContracts({ rpcUrl: chain.url });
    await ask(chain.url, 'presage_mine', 3);
    const before = await readBlock(chain.url);
    const steps: string[] = [];
    expect(await deployContracts({ rpcUrl: chain.url, onStep: (step) => steps.push(step) })).toEqual(first);
    expect(steps).toEqual([]);
    expect(await readBlock(chain.url)).toEqual(before);
  });

  it('finishes what a run left half done, whichever transaction was its last', async () => {
    const unlucky = await startChain({ blockIntervalMs: 10 });
    const steps: string[] = [];
    const die = (step: string) => {
      steps.push(step);
      throw new Error('killed');
    };
    let outcome: unknown = 'killed';
    while (outcome === 'killed' && steps.length < 50) {
      outcome = await deployContracts({ rpcUrl: unlucky.url, onStep: die }).catch((error: Error) => error.message);
    }
    // Two for the proxy, fifteen contracts, eleven roles, the treasury, the sponsor's money: none was sent twice, and the addresses are as in a calm run.
    expect(steps).toHaveLength(30);
    const calm = await deployContracts({ rpcUrl: chain.url });
    expect(outcome).toEqual({ ...calm, blockNumber: expect.any(Number) });
  });

  it('finds its contracts again after the chain was killed and restarted', async () => {
    const dataDir = await makeDataDir();
    const mortal = await startChain({ dataDir });
    const first = await deployContracts({ rpcUrl: mortal.url });
    await mortal.kill();
    const again = await startChain({ dataDir });
    const steps: string[] = [];
    expect(await deployContracts({ rpcUrl: again.url, onStep: (step) => steps.push(step) })).toEqual(first);
    expect(steps).toEqual([]);
  });

  it('deploys the Multicall3 that viem carries', async () => {
    const inside = join(dirname(createRequire(import.meta.url).resolve('viem')), 'constants/contracts.js');
    expect(await readFile(inside, 'utf8')).toContain(multicall3Bytecode);
  });

  it("leaves a stablecoin that the chain can hand out in anybody's name", async () => {
    const { stablecoin } = await deployContracts({ rpcUrl: chain.url });
    const data = encodeFunctionData({ abi: testStablecoinAbi, functionName: 'mint', args: [SOMEBODY, 25_000_000n] });
    const hash = await ask<Hex>(chain.url, 'presage_sendAs', { from: keyOf('owner').address, to: stablecoin, data });
    const reader = createPublicClient({ transport: http(chain.url), pollingInterval: 25 });
    await reader.waitForTransactionReceipt({ hash });
    const coin = { address: stablecoin, abi: testStablecoinAbi } as const;
    expect(await reader.readContract({ ...coin, functionName: 'balanceOf', args: [SOMEBODY] })).toBe(25_000_000n);
  });
});
