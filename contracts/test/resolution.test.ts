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
  let people: ResolutionWorld;
  let before: Awaited<ReturnType<ResolutionWorld['purses']>>;
  let bond: bigint;
  let fee: bigint;
  beforeAll(async () => {
    people = await ResolutionWorld.open(kind);
  }, 60_000);
  beforeEach(async () => {
    await people.openExpiredMarket();
    before = await people.purses();
    bond = await people.bond();
    fee = people.feeOf(bond);
  });

  it('asks for the agreed bond, or for what the oracle asks if that is more', async () => {
    expect(bond).toBe(kind === 'uma' ? 1_200_000_000n : 1_000_000_000n);
    expect(await people.status()).toBe(expired);
  });

  it.each([true, false])('resolves to an undisputed proposal (%s) and returns the bond whole', async (outcome) => {
    await people.propose(outcome, 'proposer');
    expect(await people.status()).toBe(proposed);
    expect(await people.purses()).toEqual({
      ...before,
      proposer: before.proposer - bond,
      oracle: before.oracle + bond,
    });
    await expect(people.settle()).rejects.toThrow('reverted');
    await people.world.chain.advance(window);
    await people.settle();
    expect(await people.status()).toBe(resolved);
    expect(await people.payouts()).toEqual(outcome ? [1n, 0n, 1n] : [0n, 1n, 1n]);
    expect(await people.purses()).toEqual(before);
  });

  it('returns a sponsored bond to the sponsor, and settles for whoever signed', async () => {
    await people.propose(false, 'sponsor');
    expect(await people.purses()).toEqual({ ...before, sponsor: before.sponsor - bond, oracle: before.oracle + bond });
    await expect(people.settleBySig(1)).rejects.toThrow('reverted');
    await people.world.chain.advance(window);
    await expect(people.settleBySig(0)).rejects.toThrow('reverted');
    await people.settleBySig(1);
    expect(await people.payouts()).toEqual([0n, 1n, 1n]);
    expect(await people.purses()).toEqual(before);
  });

  it('draws no bond that nobody allowed', async () => {
    await expect(people.proposeWithoutPermit(true)).rejects.toThrow('reverted');
    expect(await people.purses()).toEqual(before);
    expect(await people.status()).toBe(expired);
  });

  it("pays the proposer the disputer's bond, less the oracle's fee, when the dispute fails", async () => {
    const assertionId = await people.propose(true, 'proposer');
    await people.dispute(assertionId);
    expect(await people.status()).toBe(disputed);
    await people.world.chain.advance(window);
    await expect(people.settle()).rejects.toThrow('reverted');
    await people.judge(assertionId, true);
    expect(await people.status()).toBe(resolved);
    expect(await people.payouts()).toEqual([1n, 0n, 1n]);
    expect(await people.purses()).toEqual({
      ...before,
      proposer: before.proposer + bond - fee,
      disputer: before.disputer - bond,
      store: before.store + fee,
    });
  });

  it('opens again when the dispute succeeds, and resolves to the other outcome in the next round', async () => {
    const assertionId = await people.propose(true, 'proposer');
    await people.dispute(assertionId);
    await people.judge(assertionId, false);
    expect(await people.status()).toBe(expired);
    expect(await people.payouts()).toEqual([0n, 0n, 0n]);
    const between = {
      ...before,
      proposer: before.proposer - bond,
      disputer: before.disputer + bond - fee,
      store: before.store + fee,
    };
    expect(await people.purses()).toEqual(between);
    await people.propose(false, 'sponsor');
    expect(await people.round()).toBe(2);
    await people.world.chain.advance(window);
    await people.settle();
    expect(await people.payouts()).toEqual([0n, 1n, 1n]);
    expect(await people.purses()).toEqual(between);
  });

  it('takes no proposal once it is resolved', async () => {
    await people.propose(true, 'proposer');
    await people.world.chain.advance(window);
    await people.settle();
    await expect(people.propose(false, 'proposer')).rejects.toThrow('reverted');
    await expect(people.settle()).rejects.toThrow('reverted');
  });
});
