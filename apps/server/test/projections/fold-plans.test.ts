// A connection keeps the projector's plans from when the tables were empty: none of them may read a whole table.
import { seedFromEnv } from '@presage/testkit';
import { afterAll, expect, it, vi } from 'vitest';
import { BulkTransaction } from '../../src/projections/bulk-transaction.ts';
import { PLANNING } from '../../src/projections/view-tables.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { loadViewSchema } from '../../src/store/schema.ts';
import { PlayedHistory } from './played-history.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

/** Small, so that transactions load what earlier ones wrote. */
const limits = { maxChunk: 100 };
/** Whatever the seed, a life of this length needs more. */
const FEWEST_STATEMENTS = 30;
/** All markets of a partition: a chain that was rewound may concern any. */
const ALL_MARKETS = /from presage_view\.markets m where mod\(m\.seq, /;

const fixture = new ViewFixture();

afterAll(() => fixture.close());

it('finds an index for each statement of the projector while the tables are empty', async () => {
  const query = vi.spyOn(BulkTransaction.prototype, 'query');
  const params = { orders: 600, wallets: 20, markets: 5, failures: 0.05, syncs: 0.02 };
  const log = await fixture.openLog();
  await appendAll(log, new PlayedHistory({ seed: seedFromEnv(7), ...params }).play());
  await fixture.openProjector({ source: log, sql: (await fixture.openStore()).sql, limits }).start();
  const sent = new Set(query.mock.calls.map(([statement]) => statement));
  query.mockRestore();
  expect(sent.size).toBeGreaterThan(FEWEST_STATEMENTS);

  const { sql } = await fixture.openStore();
  // Readers' indexes are built when the tables are full.
  const schema = { ...loadViewSchema(), readerIndexes: [] };
  await fixture.openProjector({ source: await fixture.openLog(), sql, schema }).start();
  for (const statement of sent) {
    if (!ALL_MARKETS.test(statement)) expect(await planOf(sql, statement)).not.toMatch(/Seq Scan|Disabled/);
  }
});

/** The plan that a connection would keep. */
function planOf(sql: Sql, statement: string): Promise<string> {
  return sql.begin(async (transaction) => {
    await transaction.unsafe(PLANNING, ['off']);
    const lines = await transaction.unsafe(`explain (generic_plan) ${statement}`).simple();
    return lines.map((line): string => line['QUERY PLAN']).join('\n');
  });
}
