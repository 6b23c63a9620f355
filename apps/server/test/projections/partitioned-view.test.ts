// Markets spread over four partitions: one view, the same whether followed live or built anew, and the same as of one partition.
import {
  type JournalRecord,
  type MarketId,
  marketPartitionName,
  partitionOfMarket,
  toServiceSeq,
} from '@presage/protocol';
import { isLongRun, MemoryStorage, seedFromEnv, waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { PartitionLog } from '../../src/host/partition-log.ts';
import { listChainFigures } from '../../src/projections/figures/chain-figures-queries.ts';
import { listUserTrades } from '../../src/projections/users/user-queries.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { loadViewSchema } from '../../src/store/schema.ts';
import { NaiveView } from './naive-view.ts';
import { RandomHistory } from './random-history.ts';
import { expectSameView } from './same-view.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

const COUNT = 4;
const SEED = seedFromEnv(21);
const PARAMS = { seed: SEED, orders: isLongRun ? 700 : 150, markets: 9, failures: 0.1 };

const fixture = new ViewFixture();

afterEach(() => fixture.close());

/** As the hosts would have written it; the naive view looks on, and counts as the view does. */
class SpreadHistory {
  readonly history = new RandomHistory(PARAMS);
  readonly naive = new NaiveView();
  readonly #seqs = Array.from({ length: COUNT }, () => 0);

  *steps(): Generator<{ partition: number; records: readonly JournalRecord[] }> {
    for (const records of this.history.steps()) {
      for (const [index, own] of spread(records).entries()) {
        if (own.length > 0) yield { partition: index, records: own };
        for (const record of own) this.#show(index, record);
      }
    }
  }

  /** What is about a whole chain is told to every partition, and once to the naive view, which has one. */
  #show(partition: number, record: JournalRecord): void {
    const seq = ++this.#seqs[partition]!;
    if ('marketId' in record || partition === 0) this.naive.apply(toServiceSeq({ partition, seq }, COUNT), record);
  }
}

function spread(records: readonly JournalRecord[]): JournalRecord[][] {
  const isOf = (record: JournalRecord, index: number) =>
    !('marketId' in record) || partitionOfMarket(record.marketId as MarketId, COUNT) === index;
  return Array.from({ length: COUNT }, (_, index) => records.filter((record) => isOf(record, index)));
}

async function play(logs: readonly PartitionLog[], played: SpreadHistory): Promise<void> {
  let pending: Promise<unknown>[] = [];
  for (const { partition, records } of played.steps()) {
    pending.push(logs[partition]!.append(records));
    if (pending.length < 50) continue;
    await Promise.all(pending);
    pending = [];
  }
  await Promise.all(pending);
}

const openLogs = () =>
  Promise.all(
    Array.from({ length: COUNT }, (_, index) => fixture.openLog(new MemoryStorage(marketPartitionName(index)))),
  );
const endsOf = (logs: readonly PartitionLog[]) => logs.map(({ lastSeq }) => lastSeq);

/** Every row of every table, but for what depends on how the records were cut into transactions: cursors, keyframes, and what a failed trade counted. */
async function allRows(sql: Sql): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const table of loadViewSchema().tables) {
    if (table === 'meta' || table === 'position_keyframes') continue;
    const counted = table === 'trades' ? "- case when stage = 'failed' then 'counted_minted' else '' end" : '';
    const rows = await sql.unsafe(`select (to_jsonb(t) ${counted})::text as row from presage_view.${table} t`);
    tables[table] = rows.map(({ row }) => row as string).sort();
  }
  return tables;
}

describe(`the view of ${COUNT} partitions, seed ${SEED}`, () => {
  it('shows what a naive computation gives, live and rebuilt, and what a view of one partition shows', async () => {
    const played = new SpreadHistory();
    const logs = await openLogs();
    const live = await fixture.openStore();
    const projector = fixture.openViewProjector({ sources: logs, sql: live.sql, limits: { maxChunk: 90 } });
    await projector.start();
    await play(logs, played);
    expect(await projector.waitFor(endsOf(logs), 60_000)).toBe(true);
    expect(projector.lag).toBe(0);
    expect(projector.cursors).toEqual(endsOf(logs));
    await expectSameView(live.sql, played);

    const anew = await fixture.openStore();
    const rebuilding = fixture.openViewProjector({ sources: logs, sql: anew.sql });
    await rebuilding.start();
    expect(await allRows(anew.sql)).toEqual(await allRows(live.sql));

    const single = await fixture.openStore();
    const log = await fixture.openLog();
    await appendAll(log, new RandomHistory(PARAMS).steps());
    await fixture.openProjector({ source: log, sql: single.sql }).start();
    const { clock, wallets } = played.history;
    for (const nowMs of [clock.nowMs, clock.nowMs + 86_000_000]) {
      expect(await listChainFigures(live.sql, nowMs)).toEqual(await listChainFigures(single.sql, nowMs));
    }
    const tradesOf = async (sql: Sql) => {
      const query = { wallet: wallets[0]!, chainId: 31337, limit: 1_000 };
      return (await listUserTrades(sql, query)).map(({ trade }) => trade.timeMs);
    };
    const times = await tradesOf(live.sql);
    expect(times).toEqual(await tradesOf(single.sql));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('is built anew as a whole when one partition does not fit, also for those that had been read to the end', async () => {
    const played = new SpreadHistory();
    const logs = await openLogs();
    await play(logs, played);
    const { sql } = await fixture.openStore();
    const reasons: string[] = [];
    const projector = fixture.openViewProjector({ sources: logs, sql, onRebuild: (reason) => reasons.push(reason) });
    await projector.start();
    const before = await allRows(sql);
    await sql`update presage_view.meta set identity = 'another' where partition = 'm2'`;
    await sql`update presage_view.meta set cursor = cursor - 1 where partition = 'm2'`;
    // Its next transaction finds the cursor elsewhere and looks closer.
    const last = [...new RandomHistory({ ...PARAMS, orders: 1 }).steps()].flat()[0] as JournalRecord;
    const own = [0, 1, 2, 3].map((salt) => withMarketOf(last, 2, salt)).find((record) => record !== undefined)!;
    await logs[2]!.append([own]);
    await waitFor('all partitions are shown again', async () => reasons.length === 2 && projector.lag === 0);
    expect(reasons.at(-1)).toBe('the database is of another journal in m2');
    const after = await allRows(sql);
    expect(after.trades).toEqual(before.trades);
    expect(after.markets).toHaveLength(before.markets!.length + 1);
  });
});

/** The listing of a market that belongs to the partition. */
function withMarketOf(record: JournalRecord, partition: number, salt: number): JournalRecord | undefined {
  if (record.type !== 'market-listed') throw new Error('a history begins with a listing');
  for (let tried = salt * 64; tried < (salt + 1) * 64; tried++) {
    const marketId = `0x${tried.toString(16).padStart(64, 'e')}` as const;
    if (partitionOfMarket(marketId, COUNT) === partition) {
      return { ...record, marketId, market: { ...record.market, marketId } };
    }
  }
  return undefined;
}
