// The same resolutions through our oracle and through UMA's real bytecode: equal states, equal payouts, no unit of a bond lost.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OracleKind, ResolutionWorld } from './resolution-world.ts';

const window = 7_200n;
const [expired, proposed, disputed, resolved] = [1, 2, 3, 4];
const kinds: readonly (readonly [string, OracleKind])[] = [
  ['our oracle', 'ours'],
  ["UMA's OptimisticOracleV3", 'uma'],
];

describe.each(kinds)('a market on %s', (_name, kind) => {
  let fixture: ResolutionWorld;
  let before: Awaited<ReturnType<ResolutionWorld['balances']>>;
  let bond: bigint;
  let fee: bigint;
  beforeAll(async () => {
    fixture = await ResolutionWorld.open(kind);
  });
  beforeEach(async () => {
    await fixture.openExpiredMarket();
    before = await fixture.balances();
    bond = await fixture.bond();
    fee = fixture.feeOf(bond);
  });

  it('requires the agreed bond, or the minimum of the oracle if that is more', async () => {
    expect(bond).toBe(kind === 'uma' ? 1_200_000_000n : 1_000_000_000n);
    expect(await fixture.status()).toBe(expired);
  });

  it.each([true, false])('resolves to an undisputed proposal (%s) and returns the bond whole', async (outcome) => {
    await fixture.propose(outcome, 'proposer');
    expect(await fixture.status()).toBe(proposed);
    expect(await fixture.balances()).toEqual({
      ...before,
      proposer: before.proposer - bond,
      oracle: before.oracle + bond,
    });
    await expect(fixture.settle()).rejects.toThrow('reverted');
    await fixture.world.chain.advance(window);
    await fixture.settle();
    expect(await fixture.status()).toBe(resolved);
    expect(await fixture.payouts()).toEqual(outcome ? [1n, 0n, 1n] : [0n, 1n, 1n]);
    expect(await fixture.balances()).toEqual(before);
  });

  it('returns a sponsored bond to the sponsor, and settles for whoever signed', async () => {
    await fixture.propose(false, 'sponsor');
    expect(await fixture.balances()).toEqual({
      ...before,
      sponsor: before.sponsor - bond,
      oracle: before.oracle + bond,
    });
    await expect(fixture.settleBySig(1)).rejects.toThrow('reverted');
    await fixture.world.chain.advance(window);
    await expect(fixture.settleBySig(0)).rejects.toThrow('reverted');
    await fixture.settleBySig(1);
    expect(await fixture.payouts()).toEqual([0n, 1n, 1n]);
    expect(await fixture.balances()).toEqual(before);
  });

  it('pulls no bond without a permit', async () => {
    await expect(fixture.proposeWithoutPermit(true)).rejects.toThrow('reverted');
    expect(await fixture.balances()).toEqual(before);
    expect(await fixture.status()).toBe(expired);
  });

  it("pays the proposer the disputer's bond, less the oracle's fee, when the dispute fails", async () => {
    const assertionId = await fixture.propose(true, 'proposer');
    await fixture.dispute(assertionId);
    expect(await fixture.status()).toBe(disputed);
    await fixture.world.chain.advance(window);
    await expect(fixture.settle()).rejects.toThrow('reverted');
    await fixture.judge(assertionId, true);
    expect(await fixture.status()).toBe(resolved);
    expect(await fixture.payouts()).toEqual([1n, 0n, 1n]);
    expect(await fixture.balances()).toEqual({
      ...before,
      proposer: before.proposer + bond - fee,
      disputer: before.disputer - bond,
      store: before.store + fee,
    });
  });

  it('opens again when the dispute succeeds, and resolves to the other outcome in the next round', async () => {
    const assertionId = await fixture.propose(true, 'proposer');
    await fixture.dispute(assertionId);
    await fixture.judge(assertionId, false);
    expect(await fixture.status()).toBe(expired);
    expect(await fixture.payouts()).toEqual([0n, 0n, 0n]);
    const between = {
      ...before,
      proposer: before.proposer - bond,
      disputer: before.disputer + bond - fee,
      store: before.store + fee,
    };
    expect(await fixture.balances()).toEqual(between);
    await fixture.propose(false, 'sponsor');
    expect(await fixture.round()).toBe(2);
    await fixture.world.chain.advance(window);
    await fixture.settle();
    expect(await fixture.payouts()).toEqual([0n, 1n, 1n]);
    expect(await fixture.balances()).toEqual(between);
  });

  it('takes no proposal once it is resolved', async () => {
    await fixture.propose(true, 'proposer');
    await fixture.world.chain.advance(window);
    await fixture.settle();
    await expect(fixture.propose(false, 'proposer')).rejects.toThrow('reverted');
    await expect(fixture.settle()).rejects.toThrow('reverted');
  });
});
