// Thousands of transactions through a sender whose node fails and whose process dies: none lost, none twice, no gap.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amountOf, ChainFixture } from './chain-fixture.ts';
import { ALL_FAULTS } from './fault-plan.ts';
import { FaultyRpc } from './faulty-rpc.ts';
import { SETTLER } from './sandbox-accounts.ts';
import { torture } from './torture.ts';

const OPERATIONS = isLongRun ? 2_000 : 200;
const SEED = seedFromEnv(20_261_115);

let chain: ChainFixture;
beforeEach(async () => {
  chain = await ChainFixture.open();
});
afterEach(() => chain.close());

describe('a sender whose node fails in thirteen ways and whose process keeps dying', () => {
  it(`executes ${OPERATIONS} operations exactly once each, without a gap (seed ${SEED})`, async () => {
    const rates = { transport: 0.12, send: 0.3, read: 0.05 };
    const proxy = await FaultyRpc.open({ target: chain.process.url, seed: SEED, rates });
    const report = await torture({
      chain,
      proxy,
      seed: SEED,
      operations: OPERATIONS,
      reorgRate: 0.15,
      reorgs: 6,
    });
    await report.sender.close();
    await proxy.close();
    console.log(
      `seed ${SEED}: ${report.rounds} rounds, ${report.deaths} deaths at ${report.deathPlaces.size} kinds of step,`,
      `${report.reorgs} reorgs, ${report.journal.records.length} records, faults`,
      Object.fromEntries(proxy.plan.counts),
    );

    const transactions = await chain.transactionsOf(SETTLER.address);
    const inputs = transactions.map(({ input }) => input);
    expect(transactions.map(({ nonce }) => nonce)).toEqual(transactions.map((_, position) => position));
    expect(new Set(inputs).size).toBe(inputs.length);
    expect(transactions).toHaveLength(OPERATIONS);
    for (let index = 0; index < OPERATIONS; index += 1) {
      expect(await chain.mintedBy(index), `mint-${index}`).toBe(amountOf(index));
      expect(report.sender.status(`mint-${index}`)?.stage).toBe('confirmed');
    }
    const missed = ALL_FAULTS.filter((fault) => !proxy.plan.counts.has(fault));
    // Which requests are made, and so which faults they meet, depends on the pace of a short run.
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(isLongRun ? 0 : 2);
    expect(report.deaths).toBeGreaterThan(10);
    expect(report.reorgs).toBeGreaterThanOrEqual(6);
    expect(report.alarms.filter(({ type }) => type !== 'deep-reorg')).toEqual([]);
  });
});
