// The second audit's attacks on resolution, replayed on UMA's real bytecode: nobody buys a half, and the truth costs one bond.
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ResolutionWorld } from './resolution-world.ts';

const WINDOW = 7_200n;
const DAY = 86_400n;
const SHARES = 100_000_000_000n;
const [YES, NO] = [0, 1];
const honest = privateKeyToAccount(`0x${'81'.repeat(32)}`);
const liar = privateKeyToAccount(`0x${'82'.repeat(32)}`);

describe("a losing holder on UMA's OptimisticOracleV3", () => {
  let fixture: ResolutionWorld;
  beforeAll(async () => {
    fixture = await ResolutionWorld.open('uma');
  }, 60_000);
  /** YES is true; the liar holds NO. The token refuses its own address, as USDC does. */
  beforeEach(async () => {
    await fixture.openExpiredMarket();
    await fixture.giveShares(honest.address, liar.address, SHARES);
    await fixture.refuse(fixture.world.collateral);
  });

  async function lieForEver(): Promise<void> {
    const lie = await fixture.proposeAs(liar, NO);
    await fixture.disputeAs(liar, lie, fixture.world.collateral);
    await fixture.decide(lie, false);
    await expect(fixture.settleAtOracle(lie)).rejects.toThrow('reverted');
  }

  async function expectTruth(): Promise<void> {
    expect(await fixture.payouts()).toEqual([1n, 0n, 1n]);
    expect(await fixture.redeem(honest)).toBe(SHARES);
    expect(await fixture.redeem(liar)).toBe(0n);
  }

  it('A1: does not lock the market with a lie whose settlement reverts for ever', async () => {
    await lieForEver();
    await fixture.proposeAs(honest, YES);
    await fixture.world.chain.advance(WINDOW);
    await fixture.settle();
    await expectTruth();
    expect(await fixture.balanceOf(fixture.world.market)).toBe(0n);
  });

  it('A1: does not lock the outcome that becomes true after a lie that was told too early', async () => {
    const early = await fixture.proposeAs(liar, YES);
    await fixture.disputeAs(liar, early, fixture.world.collateral);
    await fixture.decide(early, false);
    await expect(fixture.proposeAs(honest, YES)).rejects.toThrow('reverted');
    await fixture.world.chain.advance(7n * DAY);
    await fixture.proposeAs(honest, YES);
    await fixture.world.chain.advance(WINDOW);
    await fixture.settle();
    await expectTruth();
  });

  it('A2: does not void the market at once after a rejection', async () => {
    const lie = await fixture.proposeAs(liar, NO);
    await fixture.disputeAs(liar, lie);
    await fixture.decide(lie, false);
    await fixture.world.chain.advance(31n * DAY);
    await fixture.settleAtOracle(lie);
    await expect(fixture.void()).rejects.toThrow('reverted');
    await fixture.proposeAs(honest, YES);
    await fixture.world.chain.advance(WINDOW);
    await fixture.settle();
    await expectTruth();
  });

  it('A2: does not shut out the truth with proposals in rounds', async () => {
    for (const _round of [1, 2]) {
      const lie = await fixture.proposeAs(liar, NO);
      await fixture.disputeAs(liar, lie);
      await fixture.decide(lie, false);
      await fixture.settleAtOracle(lie);
    }
    await fixture.disputeAs(liar, await fixture.proposeAs(liar, NO));
    await fixture.proposeAs(honest, YES);
    await fixture.world.chain.advance(WINDOW);
    await fixture.settle();
    await expectTruth();
  });

  it('A3: does not turn a true proposal that nobody settled into a half', async () => {
    await fixture.proposeAs(honest, YES);
    await fixture.world.chain.advance(31n * DAY);
    await fixture.void();
    await expectTruth();
  });

  it('A3: does not turn a vote that nobody settled into a half', async () => {
    const truth = await fixture.proposeAs(honest, YES);
    await fixture.disputeAs(liar, truth);
    await fixture.world.chain.advance(31n * DAY);
    await fixture.decide(truth, true);
    await fixture.void();
    await expectTruth();
  });
});
