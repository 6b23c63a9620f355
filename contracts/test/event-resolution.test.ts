// An event resolved through our oracle and through UMA's real bytecode: equal states, equal payouts, no unit of a bond lost.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OracleKind, ResolutionWorld } from './resolution-world.ts';

const window = 7_200n;
const [expired, proposed, disputed, resolved] = [1, 2, 3, 4];
const kinds: readonly (readonly [string, OracleKind])[] = [
  ['our oracle', 'ours'],
  ["UMA's OptimisticOracleV3", 'uma'],
];
const names = ['Ajax', 'Boca', 'None of them'];

describe.each(kinds)('an event on %s', (_name, kind) => {
  let fixture: ResolutionWorld;
  let before: Awaited<ReturnType<ResolutionWorld['balances']>>;
  let bond: bigint;
  beforeAll(async () => {
    fixture = await ResolutionWorld.open(kind);
  });
  beforeEach(async () => {
    await fixture.openExpiredEvent(names);
    before = await fixture.balances();
    bond = await fixture.bond();
  });

  it.each([0, 1, 2])('resolves to the outcome that was proposed and not disputed (%i)', async (winner) => {
    fixture.useOutcome(winner);
    await fixture.propose(true, 'proposer');
    expect(await fixture.status()).toBe(proposed);
    await expect(fixture.settle()).rejects.toThrow('reverted');
    await fixture.world.chain.advance(window);
    await fixture.settle();
    expect(await fixture.status()).toBe(resolved);
    expect(await fixture.numerators(names.length)).toEqual(names.map((_, index) => (index === winner ? 1n : 0n)));
    expect(await fixture.balances()).toEqual(before);
  });

  it('takes no proposal that an outcome has lost', async () => {
    await expect(fixture.propose(false, 'proposer')).rejects.toThrow('reverted');
    expect(await fixture.balances()).toEqual(before);
    expect(await fixture.status()).toBe(expired);
  });

  it("pays the proposer the disputer's bond, less the oracle's fee, when the dispute fails", async () => {
    const assertionId = await fixture.propose(true, 'proposer');
    await fixture.dispute(assertionId);
    expect(await fixture.status()).toBe(disputed);
    await fixture.judge(assertionId, true);
    expect(await fixture.numerators(names.length)).toEqual([1n, 0n, 0n]);
    const fee = fixture.feeOf(bond);
    const proposer = before.proposer + bond - fee;
    expect(await fixture.balances()).toMatchObject({ proposer, disputer: before.disputer - bond });
  });

  it('opens again when the dispute succeeds, and resolves to another outcome in the next round', async () => {
    const assertionId = await fixture.propose(true, 'proposer');
    await fixture.dispute(assertionId);
    await fixture.judge(assertionId, false);
    expect(await fixture.status()).toBe(expired);
    fixture.useOutcome(1);
    await fixture.propose(true, 'sponsor');
    expect(await fixture.round()).toBe(2);
    await fixture.world.chain.advance(window);
    await fixture.settleBySig(0);
    expect(await fixture.numerators(names.length)).toEqual([0n, 1n, 0n]);
  });
});
