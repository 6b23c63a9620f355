// Reads beside a steady stream of writes show all of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { seedFromEnv, waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { FeedLimits } from '../../src/projections/batch-feed.ts';
import { createViews } from '../../src/projections/views.ts';
import { RandomHistory } from './random-history.ts';
import { ViewFixture } from './view-fixture.ts';

const WRITES = 150;
const WAIT_MS = 60_000;
/** 50 writes a second. */
const PAUSE_MS = 20;

const fixture = new ViewFixture();

afterEach(() => fixture.close());

describe('a read at 50 writes a second', () => {
  it('is answered with every write before it', async () => {
    const source = await fixture.openLog();
    const { sql } = await fixture.openStore();
    const projector = fixture.openViewProjector({ sources: [source], sql });
    await projector.start();
    // How long it takes is the machine's business.
    const progress = { isUp: true, waitFor: (seqs: readonly number[]) => projector.waitFor(seqs, WAIT_MS) };
    const views = createViews({ sql, progress, answeredSeqs: () => [source.lastSeq] });
    const history = new RandomHistory({ seed: seedFromEnv(80), orders: WRITES, markets: 3 });
    const reads: Promise<boolean>[] = [];
    for (const records of history.steps()) {
      await source.append(records);
      for (const record of records) {
        if (record.type !== 'order-accepted') continue;
        reads.push(views.findOrder(record.orderHash).then((found) => found !== undefined));
      }
      await sleep(PAUSE_MS);
    }
    expect(reads.length).toBeGreaterThan(WRITES / 2);
    expect(await Promise.all(reads)).not.toContain(false);
  });
});

/** Longer than any test: whoever waits for it fails. */
const NEVER_MS = 3_600_000;

describe('records that gather for one transaction', () => {
  it('are written at once when somebody reads', async () => {
    const { source, projector } = await openGathering({ gatherMs: NEVER_MS });
    const [last, ...earlier] = [...historyOf(5)].reverse();
    for (const records of earlier.reverse()) await source.append(records);
    expect(projector.lag).toBeGreaterThan(0);
    expect(await projector.waitFor([source.lastSeq], WAIT_MS)).toBe(true);
    // The next reader is there before the records are.
    const read = projector.waitFor([source.lastSeq + last!.length], WAIT_MS);
    await source.append(last!);
    expect(await read).toBe(true);
  });

  it('are written without a reader when they are many, when their time is over, and at the end', async () => {
    const many = await openGathering({ gatherMs: NEVER_MS, gatherRecords: 5 });
    const late = await openGathering({ gatherMs: 1 });
    for (const { source, projector } of [many, late]) {
      for (const records of historyOf(10)) await source.append(records);
      await waitFor('most are written', () => projector.lag < 5);
    }
    await waitFor('all are written', () => late.projector.lag === 0);
    await many.projector.close();
  });
});

function historyOf(orders: number) {
  return new RandomHistory({ seed: seedFromEnv(81), orders, markets: 1 }).steps();
}

async function openGathering(limits: Partial<FeedLimits>) {
  const source = await fixture.openLog();
  const { sql } = await fixture.openStore();
  const projector = fixture.openViewProjector({ sources: [source], sql, limits });
  await projector.start();
  return { source, projector };
}
