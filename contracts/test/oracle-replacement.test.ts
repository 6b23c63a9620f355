// UMA's real oracle delists the token of the bonds, and a market that is still open goes on at another oracle.
import { encodeDeployData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { marketOracleAbi, optimisticOracleAbi } from '../generated/abi.ts';
import { optimisticOracleBytecode } from '../generated/bytecode.ts';
import { ResolutionWorld } from './resolution-world.ts';

const WINDOW = 7_200n;
const WEEK = 604_800n;
const honest = privateKeyToAccount(`0x${'83'.repeat(32)}`);

describe("an open market on UMA's OptimisticOracleV3", () => {
  it('keeps its oracle while that serves, and goes on at another one after the token was delisted', async () => {
    const fixture = await ResolutionWorld.open('uma');
    await fixture.openExpiredMarket();
    const { world } = fixture;
    const args = [world.arbitrator.address, world.owner.address, world.collateral, 1_000_000n] as const;
    const data = encodeDeployData({ abi: optimisticOracleAbi, bytecode: optimisticOracleBytecode, args });
    const { contractAddress } = await world.chain.mustSend(world.arbitrator, { data });
    await world.as(world.owner, world.marketOracle, marketOracleAbi, 'announceReplacement', [contractAddress]);
    await world.chain.advance(WEEK);
    const replace = () => world.as(world.owner, world.marketOracle, marketOracleAbi, 'replace', []);
    await expect(replace()).rejects.toThrow('reverted');

    await fixture.delistCollateral();
    await expect(fixture.proposeAs(honest, 0)).rejects.toThrow('reverted');
    await replace();
    await fixture.proposeAs(honest, 0);
    await world.chain.advance(WINDOW);
    await fixture.settle();
    expect(await fixture.payouts()).toEqual([1n, 0n, 1n]);
  });
});
