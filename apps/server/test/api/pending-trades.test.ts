// Many who ask for a long list of pending trades at the same time, over the real listener and a real database: it is read and written out for all of them together.
import { parseJson } from '@presage/protocol';
import { SILENT_LOG, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routesOf } from '../../src/api/endpoint.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { tradeEndpoints } from '../../src/api/routes/trades.ts';
import { createViews } from '../../src/projections/views.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { PlayedHistory } from '../projections/played-history.ts';
import { appendAll, ViewFixture } from '../projections/view-fixture.ts';

const PENDING = 6_000;
const ASKED = 20;

const fixture = new ViewFixture();
const listener = new HttpListener();
let sql: Sql;
let url: string;
let reads = 0;

beforeAll(async () => {
  const played = new PlayedHistory({ seed: seedFromEnv(3), orders: 60, wallets: 4, markets: 2, failures: 0, syncs: 0 });
  const log = await fixture.openLog();
  await appendAll(log, played.play());
  sql = (await fixture.openStore()).sql;
  await fixture.openProjector({ source: log, sql }).start();
  await sql`delete from presage_view.pending_trades`;
  await sql`insert into presage_view.trades (seq, trade_id, market_seq, outcome, price, size, cost, taker_side, maker_seq,
      taker_seq, buyer, seller, time_ms, stage, attempts, counted_minted)
    select 1000000 + n, 'copy-' || n, market_seq, outcome, price, size, cost, taker_side, maker_seq, taker_seq, buyer,
      seller, time_ms + n, 'matched', 0, 0
    from (select * from presage_view.trades order by seq limit 1) t, generate_series(1, ${PENDING}::integer) n`;
  await sql`insert into presage_view.pending_trades select seq from presage_view.trades where seq > 1000000`;
  await sql`analyze`;
  const views = createViews({ sql, progress: { isUp: true, waitFor: async () => true }, answeredSeqs: () => [] });
  const counted = {
    ...views,
    listPendingTrades: (limit: number) => {
      reads++;
      return views.listPendingTrades(limit);
    },
  };
  const services = { views: counted } as unknown as Parameters<typeof tradeEndpoints>[0];
  const options = { listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  openHttpServer(options, [routesOf(tradeEndpoints(services))]);
  url = await listener.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await listener.close();
  await fixture.close();
});

const ask = async () => (await fetch(`${url}/api/v1/pending-trades`)).text();

it(`${ASKED} requests for ${PENDING} trades read and write them out a few times, and all get all of them`, async () => {
  await ask();
  reads = 0;
  const startMs = performance.now();
  const texts = await Promise.all(Array.from({ length: ASKED }, ask));
  const ms = performance.now() - startMs;
  process.stderr.write(`${ASKED} requests: ${ms.toFixed(0)} ms, ${reads} reads, ${texts[0]?.length} characters each\n`);
  expect(new Set(texts).size).toBe(1);
  const { pendingTrades, count } = parseJson(texts[0]!) as { pendingTrades: { tradeId: string }[]; count: number };
  expect([count, pendingTrades.length]).toEqual([PENDING, PENDING]);
  expect(reads).toBeLessThan(ASKED / 2);
});

it('a request after a change has the change', async () => {
  const early = ask();
  await sql`delete from presage_view.pending_trades where trade_seq = 1000001`;
  expect((parseJson(await ask()) as { count: number }).count).toBe(PENDING - 1);
  await early;
});
