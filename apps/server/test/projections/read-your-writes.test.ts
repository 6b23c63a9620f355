// Reads beside a steady stream of writes show all of them, and are never refused for a view that is behind.
import { setTimeout as sleep } from 'node:timers/promises';
import { seedFromEnv } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createViews } from '../../src/projections/views.ts';
import { RandomHistory } from './random-history.ts';
import { ViewFixture } from './view-fixture.ts';

const WRITES = 150;
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
    const views = createViews({ sql, progress: projector, answeredSeqs: () => [source.lastSeq] });
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
