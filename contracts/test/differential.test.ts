// Our conditional tokens against the real ones: equal ids, equal events, equal refusals, equal payouts.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { type Hex, keccak256, toHex, zeroHash } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { GnosisTwin } from './gnosis-twin.ts';

const timeoutMs = isLongRun ? 3_600_000 : 60_000;
const seed = seedFromEnv(20261115);
const word = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }).map((value) => toHex(value, { size: 32 }));
const address = fc.bigInt({ min: 0n, max: (1n << 160n) - 1n }).map((value) => toHex(value, { size: 20 }));

/** One step: who acts, on which condition and parent, with which index sets. Most are legal, some are not. */
const step = fc.record({
  kind: fc.constantFrom('split', 'split', 'split', 'merge', 'redeem', 'report', 'transfer'),
  actor: fc.nat(1),
  onSecond: fc.boolean(),
  parentIndexSet: fc.constantFrom(0n, 0n, 1n, 2n, 3n, 6n),
  partition: fc.oneof(
    fc.constantFrom([1n, 2n], [1n, 6n], [3n, 4n], [1n, 2n, 4n], [1n, 4n], [2n, 1n]),
    fc.array(fc.bigInt({ min: 0n, max: 8n }), { maxLength: 3 }),
  ),
  amount: fc.bigInt({ min: 0n, max: 1_000_000n }),
  payouts: fc.array(fc.bigInt({ min: 0n, max: 5n }), { minLength: 2, maxLength: 3 }),
});
/** A step on a condition of several outcomes. Each outcome has a label, and outcomes of the same label are a part; those of label 0 are in none. */
const wideStep = fc.record({
  kind: fc.constantFrom('split', 'split', 'split', 'merge', 'merge', 'redeem', 'report'),
  actor: fc.nat(1),
  labels: fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }),
  amount: fc.bigInt({ min: 0n, max: 1_000_000n }),
  payouts: fc.array(fc.bigInt({ min: 0n, max: 5n }), { minLength: 8, maxLength: 8 }),
});
type WideStep = typeof wideStep extends fc.Arbitrary<infer T> ? T : never;

interface Condition {
  readonly question: Hex;
  readonly slots: bigint;
  readonly id: Hex;
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe('conditional tokens beside the Gnosis bytecode', () => {
  let twin: GnosisTwin;
  let salt = 0n;
  beforeAll(async () => {
    twin = await GnosisTwin.open();
  });

  it(
    'give the same condition, collection and position ids, nested parents included',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          address,
          word,
          word,
          word,
          fc.bigInt({ min: 0n, max: 1n << 255n }),
          async (oracle, question, outer, inner, indexSet) => {
            await expectSame('getConditionId', [oracle, question, indexSet]);
            const parent = await expectSame('getCollectionId', [zeroHash, outer, indexSet]);
            const nested = await expectSame('getCollectionId', [parent, inner, indexSet + 1n]);
            await expectSame('getCollectionId', [nested, question, 1n]);
            await expectSame('getPositionId', [oracle, nested]);
            // Most 32-byte values are not on the curve: both implementations must refuse or accept the same ones.
            await expectSame('getCollectionId', [question, outer, indexSet]);
          },
        ),
        { numRuns: isLongRun ? 2_000 : 40, seed },
      );
    },
    timeoutMs,
  );

  it(
    'split, merge, report and redeem alike, step by step',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
          const conditions = await prepareTwo();
          for (const one of steps) await play(one, conditions);
          const [gnosis, ours] = await twin.heldByBoth();
          expect(ours).toBe(gnosis);
        }),
        { numRuns: isLongRun ? 300 : 12, seed },
      );
    },
    timeoutMs,
  );

  it(
    'split, merge, report and redeem alike with two to eight outcomes',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 2, max: 8 }),
          fc.array(wideStep, { minLength: 4, maxLength: 12 }),
          async (slots, steps) => {
            const condition = await prepare(BigInt(slots));
            for (const one of steps) await playWide(one, condition);
            const [gnosis, ours] = await twin.heldByBoth();
            expect(ours).toBe(gnosis);
          },
        ),
        { numRuns: isLongRun ? 300 : 12, seed },
      );
    },
    timeoutMs,
  );

  it('pay the same through two levels of conditions', async () => {
    const [outer, inner] = (await prepareTwo()) as [Condition, Condition];
    const actor = twin.actors[0]!;
    const { collateral } = twin;
    const parent = await expectSame('getCollectionId', [zeroHash, outer.id, 6n]);
    const succeed = (name: string, ...args: unknown[]): Promise<void> => expectAlike(name, args, 'success', actor);
    await succeed('splitPosition', collateral, zeroHash, outer.id, [1n, 6n], 900n);
    await succeed('splitPosition', collateral, zeroHash, outer.id, [2n, 4n], 100n);
    await succeed('splitPosition', collateral, parent, inner.id, [1n, 2n], 700n);
    await succeed('mergePositions', collateral, parent, inner.id, [2n, 1n], 50n);
    await succeed('mergePositions', collateral, zeroHash, outer.id, [4n, 2n], 10n);
    await expectAlike('reportPayouts', [inner.question, [1n, 2n]], 'success');
    await succeed('redeemPositions', collateral, parent, inner.id, [1n, 2n]);
    await expectAlike('reportPayouts', [outer.question, [0n, 3n, 4n]], 'success');
    await succeed('redeemPositions', collateral, zeroHash, outer.id, [1n, 6n, 2n, 4n]);
    const [gnosis, ours] = await twin.heldByBoth();
    expect(ours).toBe(gnosis);
  });

  it('refuse the same partitions: overlapping, whole, empty, trivial and beyond the last outcome', async () => {
    const [three] = (await prepareTwo()) as [Condition, Condition];
    const actor = twin.actors[0]!;
    const split = (partition: bigint[], status: string) =>
      expectAlike('splitPosition', [twin.collateral, zeroHash, three.id, partition, 100n], status, actor);
    const merge = (partition: bigint[], status: string) =>
      expectAlike('mergePositions', [twin.collateral, zeroHash, three.id, partition, 10n], status, actor);
    await split([1n, 2n, 4n], 'success');
    for (const overlapping of [
      [3n, 5n],
      [3n, 6n],
      [1n, 1n],
      [1n, 3n],
      [6n, 6n],
      [1n, 2n, 4n, 4n],
    ]) {
      await split(overlapping, 'reverted');
      await merge(overlapping, 'reverted');
    }
    for (const odd of [[7n], [7n, 7n], [0n, 7n], [1n, 6n, 0n], [1n], [], [1n, 2n, 4n, 8n], [7n, 8n]]) {
      await split(odd, 'reverted');
      await merge(odd, 'reverted');
    }
    const [gnosis, ours] = await twin.heldByBoth();
    expect(ours).toBe(gnosis);
  });

  it('refuse the same conditions', async () => {
    for (const slots of [0n, 1n, 257n])
      await expectAlike('prepareCondition', [twin.oracle.address, zeroHash, slots], 'reverted');
    const question = keccak256('0x01');
    await expectAlike('prepareCondition', [twin.oracle.address, question, 256n], 'success');
    await expectAlike('prepareCondition', [twin.oracle.address, question, 256n], 'reverted');
    await expectAlike('reportPayouts', [question, [1n, 0n]], 'reverted');
    await expectAlike('reportPayouts', [question, Array(256).fill(0n)], 'reverted');
    await expectAlike('reportPayouts', [question, Array(256).fill(3n)], 'success');
    await expectAlike('reportPayouts', [question, Array(256).fill(3n)], 'reverted');
  });

  it('answer ERC-165 and zero-address questions alike', async () => {
    for (const id of ['0x01ffc9a7', '0xd9b67a26', '0xffffffff']) await expectSame('supportsInterface', [id]);
    await expectSame('balanceOf', ['0x0000000000000000000000000000000000000000', 1n]);
    await expectSame('balanceOfBatch', [[twin.oracle.address], [1n, 2n]]);
  });

  async function expectSame(functionName: string, args: readonly unknown[]): Promise<Hex> {
    const [gnosis, ours] = await twin.readBoth(functionName, args);
    expect(ours, `${functionName}(${args})`).toEqual(gnosis);
    return ours as Hex;
  }

  async function expectAlike(
    functionName: string,
    args: readonly unknown[],
    status?: string,
    actor = twin.oracle,
  ): Promise<void> {
    const [gnosis, ours] = await twin.both(actor, functionName, args);
    expect(ours, `${functionName}(${args})`).toEqual(gnosis);
    if (status !== undefined) expect(ours.status).toBe(status);
  }

  /** One condition with three outcomes and one with two, new for every run. */
  async function prepareTwo(): Promise<Condition[]> {
    return [await prepare(3n), await prepare(2n)];
  }

  async function prepare(slots: bigint): Promise<Condition> {
    const question = toHex(++salt, { size: 32 });
    await expectAlike('prepareCondition', [twin.oracle.address, question, slots], 'success');
    return { question, slots, id: await expectSame('getConditionId', [twin.oracle.address, question, slots]) };
  }

  async function playWide({ kind, actor, labels, amount, payouts }: WideStep, condition: Condition): Promise<void> {
    const outcomes = Number(condition.slots);
    if (kind === 'report') return await expectAlike('reportPayouts', [condition.question, payouts.slice(0, outcomes)]);
    const setOf = (label: number) =>
      labels.slice(0, outcomes).reduce((set, own, index) => (own === label ? set | (1n << BigInt(index)) : set), 0n);
    const partition = [1, 2, 3].map(setOf).filter((set) => set !== 0n);
    const place = [twin.collateral, zeroHash, condition.id, partition] as const;
    const who = twin.actors[actor]!;
    if (kind === 'redeem') await expectAlike('redeemPositions', place, undefined, who);
    else if (kind === 'split') await expectAlike('splitPosition', [...place, amount], undefined, who);
    else await expectAlike('mergePositions', [...place, amount / 2n], undefined, who);
  }

  async function play(one: Step, conditions: Condition[]): Promise<void> {
    const [first, second] = conditions as [Condition, Condition];
    const [target, other] = one.onSecond ? [second, first] : [first, second];
    const parent =
      one.parentIndexSet === 0n
        ? zeroHash
        : await expectSame('getCollectionId', [zeroHash, other.id, one.parentIndexSet]);
    const actor = twin.actors[one.actor]!;
    const place = [twin.collateral, parent, target.id, one.partition] as const;
    if (one.kind === 'split') await expectAlike('splitPosition', [...place, one.amount], undefined, actor);
    else if (one.kind === 'merge') await expectAlike('mergePositions', [...place, one.amount / 2n], undefined, actor);
    else if (one.kind === 'redeem') await expectAlike('redeemPositions', place, undefined, actor);
    else if (one.kind === 'report') await expectAlike('reportPayouts', [target.question, one.payouts]);
    else await transferOne(one, actor, place);
  }

  async function transferOne(one: Step, actor: (typeof twin.actors)[0], place: readonly unknown[]): Promise<void> {
    const collection = await expectSame('getCollectionId', [place[1], place[2], one.partition[0] ?? 1n]);
    if ((collection as string) === 'refused') return;
    const id = await expectSame('getPositionId', [twin.collateral, collection]);
    const to = twin.actors[1 - one.actor]!.address;
    await expectAlike('safeTransferFrom', [actor.address, to, id, one.amount / 2n, '0x'], undefined, actor);
    await expectSame('balanceOf', [to, id]);
  }
});
