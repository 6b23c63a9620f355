// The signed operations as a wallet makes them: typed data by viem, sent by another account.
import { type Address, encodeFunctionData, type Hex, parseSignature, zeroHash } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { conditionalTokensWithPermitAbi, marketAbi, testStablecoinAbi } from '../generated/abi.ts';
import { operationTypes } from './typed-data.ts';
import { farFuture, World } from './world.ts';

const owner: PrivateKeyAccount = privateKeyToAccount(`0x${'77'.repeat(32)}`);
const deadline = farFuture;

describe('signed operations', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
    await world.as(world.owner, world.collateral, testStablecoinAbi, 'mint', [owner.address, 100_000_000n]);
  });

  it('run from permit to redemption while the owner never sends a transaction', async () => {
    const { collateral, shares, marketId } = world;
    await permit(shares, 60_000_000n);
    await relay('splitPositionBySig', 'SplitPosition', {
      owner: owner.address,
      collateralToken: collateral,
      conditionId: marketId,
      amount: 60_000_000n,
    });
    await relay('mergePositionsBySig', 'MergePositions', {
      owner: owner.address,
      collateralToken: collateral,
      conditionId: marketId,
      amount: 10_000_000n,
    });
    await relay('setApprovalForAllBySig', 'SetApprovalForAll', {
      owner: owner.address,
      operator: world.settlement,
      approved: true,
    });
    expect(await sharesOf(0)).toBe(50_000_000n);
    await report([1n, 3n]);
    const position = {
      owner: owner.address,
      collateralToken: collateral,
      parentCollectionId: zeroHash,
      conditionId: marketId,
    };
    await relay('redeemPositionsBySig', 'RedeemPositions', { ...position, indexSets: [1n] });
    await relay('redeemPositionsBySig', 'RedeemPositions', { ...position, indexSets: [2n] });
    expect(await sharesOf(0)).toBe(0n);
    expect(await stablecoinOf(owner.address)).toBe(100_000_000n);
    expect(await world.chain.client.getTransactionCount({ address: owner.address })).toBe(0);
  });

  it('name their own domains', async () => {
    const { client } = world.chain;
    const domain = async (address: Address): Promise<readonly [string, string, bigint, Address]> => {
      const abi = marketAbi;
      const [, name, version, chainId, contract] = await client.readContract({
        address,
        abi,
        functionName: 'eip712Domain',
      });
      return [name, version, chainId, contract];
    };
    expect(await domain(world.shares)).toEqual(['ConditionalTokensWithPermit', '1', 31337n, world.shares]);
    expect(await domain(world.market)).toEqual(['PresageMarket', '1', 31337n, world.market]);
    expect(await domain(world.settlement)).toEqual(['PresageSettlement', '1', 31337n, world.settlement]);
  });

  async function permit(spender: Address, value: bigint): Promise<void> {
    const domain = { name: 'USD Coin', version: '2', chainId: 31337, verifyingContract: world.collateral };
    const message = { owner: owner.address, spender, value, nonce: 0n, deadline };
    const { v, r, s } = parseSignature(
      await owner.signTypedData({ domain, types: operationTypes, primaryType: 'Permit', message }),
    );
    await world.as(world.owner, world.collateral, testStablecoinAbi, 'permit', [
      owner.address,
      spender,
      value,
      deadline,
      v,
      r,
      s,
    ]);
  }

  async function relay(
    functionName: string,
    primaryType: keyof typeof operationTypes,
    fields: Record<string, unknown>,
  ): Promise<void> {
    const { shares } = world;
    const nonce = await world.chain.client.readContract({
      address: shares,
      abi: conditionalTokensWithPermitAbi,
      functionName: 'nonces',
      args: [owner.address],
    });
    const domain = { name: 'ConditionalTokensWithPermit', version: '1', chainId: 31337, verifyingContract: shares };
    const message = { ...fields, nonce, deadline } as never;
    const { v, r, s } = parseSignature(
      await owner.signTypedData({ domain, types: operationTypes, primaryType, message }),
    );
    await world.as(world.owner, shares, conditionalTokensWithPermitAbi, functionName, [
      ...Object.values(fields),
      deadline,
      v,
      r,
      s,
    ]);
  }

  /** The market is the condition's oracle; its resolution is not under test, so the chain impersonates it. */
  async function report(payouts: readonly bigint[]): Promise<void> {
    const { client } = world.chain;
    const questionId = await client.readContract({ address: world.market, abi: marketAbi, functionName: 'questionId' });
    const data = encodeFunctionData({
      abi: conditionalTokensWithPermitAbi,
      functionName: 'reportPayouts',
      args: [questionId, payouts],
    });
    await world.chain.sendAs(world.market, { to: world.shares, data });
  }

  function sharesOf(outcome: 0 | 1): Promise<bigint> {
    const args = [owner.address, world.tokenIds[outcome]] as const;
    return world.chain.client.readContract({
      address: world.shares,
      abi: conditionalTokensWithPermitAbi,
      functionName: 'balanceOf',
      args,
    });
  }

  function stablecoinOf(account: Hex): Promise<bigint> {
    return world.chain.client.readContract({
      address: world.collateral,
      abi: testStablecoinAbi,
      functionName: 'balanceOf',
      args: [account],
    });
  }
});
