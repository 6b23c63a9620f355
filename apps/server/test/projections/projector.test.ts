// The view shows what the journal says, however it is cut into transactions.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { loadViewSchema } from '../../src/store/schema.ts';
import { PlayedHistory } from './played-history.ts';
import { expectSameView } from './same-view.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

const ORDERS = isLongRun ? 6_000 : 200;
/** In small transactions, on a machine that has more to do. */
const TIMEOUT_MS = isLongRun ? 600_000 : 60_000;
/** So many that the keyframes of three wallets lie far from the beginning. */
const LONG_PAST = isLongRun ? 6_000 : 550;
const SEED = seedFromEnv(1);
const SEEDS = Array.from({ length: isLongRun ? 10 : 1 }, (_, index) => SEED + index);

const ALL_TYPES = [
  'chain-rewound',
  'market-closed',
  'market-listed',
  'order-accepted',
  'order-cancelled',
  'order-restored',
  'payout-redeemed',
  'permit-changed',
  'position-synced',
  'shares-moved',
  'trade-failed',
  'trade-matched',
  'trade-moved',
  'trade-revived',
];

/** An event whose shares are converted. */
const EVENT = { outcomes: 4, conversions: 3 };

const fixture = new ViewFixture();

afterEach(() => fixture.close());

describe('the view', () => {
  it.each(SEEDS)(
    'shows what a naive computation over the whole journal gives, followed live (seed %i)',
    async (seed) => {
      const played = new PlayedHistory({ seed, orders: ORDERS, syncs: 0.5, shifts: 2, rewinds: 0.5, ...EVENT });
      const { sql } = await fixture.openStore();
      const log = await fixture.openLog();
      const projector = fixture.openProjector({
        source: log,
        sql,
        limits: { maxChunk: played.history.random.int(20, 400) },
      });
      await projector.start();
      await appendAll(log, played.play());
      expect(await projector.waitFor(log.lastSeq, TIMEOUT_MS)).toBe(true);
      expect(projector.lag).toBe(0);
      expect([...played.types].sort()).toEqual(ALL_TYPES);
      await expectSameView(sql, played);
    },
  );

  it('is the same for wallets with a long past, whose positions are recomputed from keyframes', async () => {
    const params = {
      seed: SEED + 11,
      orders: LONG_PAST,
      wallets: 3,
      markets: 1,
      failures: 0.05,
      moves: 80,
      syncs: 0.05,
    };
    const played = new PlayedHistory(params);
    const { sql } = await fixture.openStore();
    const log = await fixture.openLog();
    const projector = fixture.openProjector({ source: log, sql, limits: { maxChunk: 100 } });
    await projector.start();
    await appendAll(log, played.play());
    expect(await projector.waitFor(log.lastSeq, TIMEOUT_MS)).toBe(true);
    expect(await sql`select 1 from presage_view.position_keyframes where seq > 1000`).not.toHaveLength(0);
    await expectSameView(sql, played);
  });

  it.each([3, 8])(
    'is the same where failed trades are settled after all, told twice and moved (seed %i)',
    async (seed) => {
      const played = new PlayedHistory({ seed, orders: 150, revivals: 2, syncs: 2 });
      const { sql } = await fixture.openStore();
      const log = await fixture.openLog();
      await appendAll(log, played.play());
      await fixture.openProjector({ source: log, sql }).start();
      await expectSameView(sql, played);
    },
  );

  it.each([1, 37, 5_000])('is the same when built from the journal in transactions of %i records', async (maxChunk) => {
    const played = new PlayedHistory({ seed: SEED + 10, orders: maxChunk === 1 ? 80 : ORDERS, ...EVENT });
    const { sql } = await fixture.openStore();
    const log = await fixture.openLog();
    await appendAll(log, played.play());
    const seen: number[] = [];
    const onProgress = ({ cursor }: { cursor: number }) => seen.push(cursor);
    const projector = fixture.openProjector({ source: log, sql, limits: { maxChunk }, onProgress });
    await projector.start();
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(log.lastSeq);
    await expectSameView(sql, played);
  });

  it('gets the indexes of readers when it has caught up, also where a start ended before that', async () => {
    const { readerIndexes } = loadViewSchema();
    const { sql } = await fixture.openStore();
    const log = await fixture.openLog();
    await appendAll(log, new PlayedHistory({ seed: SEED + 12, orders: 60 }).play());
    const countIndexes = async (): Promise<number> => {
      const rows = await sql`select indexname from pg_indexes where schemaname = 'presage_view'`;
      return readerIndexes.filter(({ name }) => rows.some(({ indexname }) => indexname === name)).length;
    };
    const onTheWay: Promise<number>[] = [];
    const onProgress = ({ cursor }: { cursor: number }) => {
      if (cursor < log.lastSeq / 2) onTheWay.push(countIndexes());
    };
    const first = fixture.openProjector({ source: log, sql, limits: { maxChunk: 10 }, onProgress });
    await first.start();
    expect(await onTheWay[0]).toBe(0);
    expect(await countIndexes()).toBe(readerIndexes.length);
    await first.close();
    await sql.unsafe(`drop index presage_view.${readerIndexes[0]?.name}`);
    await fixture.openProjector({ source: log, sql }).start();
    expect(await countIndexes()).toBe(readerIndexes.length);
  });
});
