// Exports over the real listener and a real database: every line once, at the reader's pace, in bounded memory.
import { connect } from 'node:net';
import { type Address, LIMITS, parseJson } from '@presage/protocol';
import { collectGarbage } from '@presage/runtime/node';
import { isLongRun, SILENT_LOG, seedFromEnv, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { routesOf } from '../../src/api/endpoint.ts';
import { ExportPlaces } from '../../src/api/exports/export-places.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { exportEndpoints } from '../../src/api/routes/exports.ts';
import { hexOf } from '../../src/projections/columns.ts';
import { createViews, type Views } from '../../src/projections/views.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { PlayedHistory } from '../projections/played-history.ts';
import { appendAll, ViewFixture } from '../projections/view-fixture.ts';
import { connectionsOf } from './connections-of.ts';

const TRADES = isLongRun ? 1_000_000 : 50_000;
const PAGE_ROWS = 1_000;
const MEBIBYTE = 1024 * 1024;
/** What may live beside the lines on their way, which together take more even at CI size. */
const LIVE_MEBIBYTES = 16;

const fixture = new ViewFixture();
let sql: Sql;
let views: Views;
let played: PlayedHistory;
/** A wallet of the history, and one that has all trades that were added. */
let wallet: Address;
const BUSY = `0x${'bb'.repeat(20)}` as const;

beforeAll(async () => {
  played = new PlayedHistory({ seed: seedFromEnv(11), orders: 400, wallets: 8, markets: 4, failures: 0.05, syncs: 0 });
  const log = await fixture.openLog();
  await appendAll(log, played.play());
  sql = (await fixture.openStore()).sql;
  await fixture.openProjector({ source: log, sql }).start();
  views = createViews({ sql, progress: { isUp: true, waitFor: async () => true }, answeredSeqs: () => [] });
  const [most] = await sql`select buyer from presage_view.trades group by buyer order by count(*) desc limit 1`;
  wallet = hexOf(most?.buyer);
});
afterAll(() => fixture.close());

/** Copies of a trade of the history, of a wallet that has no other. */
async function addTrades(count: number): Promise<void> {
  const key = Buffer.from(BUSY.slice(2), 'hex');
  await sql`insert into presage_view.trades (seq, trade_id, market_seq, outcome, price, size, cost, taker_side, maker_seq,
      taker_seq, buyer, seller, time_ms, stage, attempts, counted_minted)
    select 1000000 + n, 'copy-' || n, market_seq, outcome, price, size, cost, taker_side, maker_seq, taker_seq, ${key},
      seller, time_ms, stage, attempts, 0
    from (select * from presage_view.trades order by seq limit 1) t, generate_series(1, ${count}::integer) n`;
  await sql`insert into presage_view.positions select ${key}, market_seq, 0, 0, 0, 0, 0, 0, 0, 0
    from (select * from presage_view.trades order by seq limit 1) t`;
  await sql`analyze presage_view.trades`;
}

interface Served {
  readonly url: string;
  readonly listener: HttpListener;
  /** Pages that were read from the database. */
  readonly pages: () => number;
}

async function serve(times: ConstructorParameters<typeof HttpListener>[0] = {}): Promise<Served> {
  const listener = new HttpListener(times);
  const options = { listener, log: SILENT_LOG, onAnswer: () => undefined, rateLimits: false, corsOrigins: [] };
  let pages = 0;
  const counted: Views = {
    ...views,
    listExportedTrades: (terms) => {
      pages++;
      return views.listExportedTrades(terms);
    },
  };
  const presentation = { questionOf: (_id: string, question: string) => `=${question}` };
  const services = { views: counted, presentation } as unknown as Parameters<typeof exportEndpoints>[0];
  // Time stands still, so that no export is older than another on a slow machine.
  openHttpServer(options, [routesOf(exportEndpoints(services, new ExportPlaces(() => 0)))]);
  const url = await listener.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    listener.server.closeAllConnections();
    await listener.close();
  });
  return { url, listener, pages: () => pages };
}

const NOBODY = `0x${'99'.repeat(20)}`;

type Line = Readonly<Record<string, string | number | null>> & { readonly cursor: string };

async function readLines(url: string, kind: string, wallet: string, query = ''): Promise<Line[]> {
  const answer = await fetch(`${url}/api/v1/users/${wallet}/export?kind=${kind}&format=jsonl&${query}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const text = await answer.text();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseJson(line) as Line);
}

describe('an export of a wallet', () => {
  it('has each of its trades once, in the order of the journal', async () => {
    const { url } = await serve();
    const lines = await readLines(url, 'trades', wallet);
    const key = Buffer.from(wallet.slice(2), 'hex');
    const rows =
      await sql`select trade_id from presage_view.trades where buyer = ${key} or seller = ${key} order by seq`;
    expect(lines.map(({ tradeId }) => tradeId)).toEqual(rows.map(({ trade_id }) => trade_id));
    expect(lines.length).toBeGreaterThan(20);
  });

  it('has its own half of each trade as a fill, and both halves of a trade with itself', async () => {
    const { url } = await serve();
    const fills = await readLines(url, 'fills', wallet);
    const trades = await readLines(url, 'trades', wallet);
    const own = trades.flatMap(({ cursor, maker, taker }) =>
      Object.entries({ maker, taker }).flatMap(([role, who]) =>
        who?.toString().toLowerCase() === wallet ? `${cursor}-${role}` : [],
      ),
    );
    expect(fills.map(({ cursor }) => cursor)).toEqual(own);
    expect(new Set(fills.map((fill) => String(fill.wallet).toLowerCase()))).toEqual(new Set([wallet]));
  });

  it.each(['trades', 'fills', 'positions'])('continues behind any cursor: %s', async (dataset) => {
    const { url } = await serve();
    const lines = await readLines(url, dataset, wallet);
    for (const [index, { cursor }] of lines.entries()) {
      if (index % 7 !== 0 && index < lines.length - 3) continue;
      expect(await readLines(url, dataset, wallet, `after=${cursor}`)).toEqual(lines.slice(index + 1));
    }
  });

  it('has the trades of a range alone: from its first second on, and before its last', async () => {
    const { url } = await serve();
    const all = await readLines(url, 'trades', wallet);
    const at = (index: number) => Math.floor(Date.parse(String(all[index]?.time)) / 1_000);
    const [from, to] = [at(5), at(15)];
    const seconds = (line: Line) => Date.parse(String(line.time)) / 1_000;
    const expected = all.filter((line) => seconds(line) >= from && seconds(line) < to);
    expect(await readLines(url, 'trades', wallet, `from=${from}&to=${to}`)).toEqual(expected);
  });

  it('is the same in CSV, with its columns named, and without formulas', async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/v1/users/${wallet}/export?kind=positions`);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="presage-positions.csv"');
    const [head = '', ...rest] = (await answer.text()).split('\r\n').slice(0, -1);
    const lines = await readLines(url, 'positions', wallet);
    expect(head.split(',')).toEqual(Object.keys(lines[0] ?? {}));
    expect(rest).toHaveLength(lines.length);
    for (const line of rest) expect(line).toMatch(/,"?'=/);
  });

  it('of a wallet that never traded has only the names of its columns', async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/v1/users/${NOBODY}/export?kind=fees`);
    expect((await answer.text()).split('\r\n')).toHaveLength(2);
  });

  it.each([
    ['0x1', 'kind=trades'],
    [NOBODY, ''],
    [NOBODY, 'kind=unknown'],
    [NOBODY, 'kind=audit'],
    [NOBODY, 'kind=trades&after=1-maker'],
    [NOBODY, 'kind=fills&after=1'],
    [NOBODY, 'kind=trades&format=xml'],
  ])('refuses what it does not understand: %s?%s', async (address, query) => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/v1/users/${address}/export?${query}`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'invalid_field']);
  });
});

describe(`an export of ${TRADES} trades`, () => {
  beforeAll(() => addTrades(TRADES));

  it('is written in bounded memory', async () => {
    const { url } = await serve();
    const live = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed / MEBIBYTE;
    };
    const before = live();
    const answer = await fetch(`${url}/api/v1/users/${BUSY}/export?kind=trades`);
    let [lines, bytes, most] = [0, 0, 0];
    for await (const chunk of answer.body!) {
      const every = Math.floor(TRADES / 10);
      const sum = lines + count(chunk, 0x0a);
      if (Math.floor(sum / every) > Math.floor(lines / every)) most = Math.max(most, live() - before);
      lines = sum;
      bytes += chunk.length;
    }
    expect(lines).toBe(TRADES + 1);
    expect(bytes / MEBIBYTE).toBeGreaterThan(LIVE_MEBIBYTES);
    expect(most).toBeLessThan(LIVE_MEBIBYTES);
  });

  it('waits for a reader who takes nothing, and cuts it off', async () => {
    const { url, pages, listener } = await serve({ stallMs: 1_000 });
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    socket.on('error', () => undefined).pause();
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /api/v1/users/${BUSY}/export?kind=trades HTTP/1.1\r\nhost: a\r\n\r\n`);
    await waitFor('the export begins', async () => pages() > 0);
    await waitFor('the reader is cut off', async () => (await connectionsOf(listener)) === 0);
    // The buffers of the two sockets take some megabytes; the rest is never read.
    expect(pages()).toBeLessThan(TRADES / PAGE_ROWS / 2);
  });

  it('is refused while too many others are read, and taken again when they are gone', async () => {
    const { url } = await serve();
    const path = `${url}/api/v1/users/${BUSY}/export?kind=trades`;
    const controllers = Array.from({ length: LIMITS.exportsAtOnce }, () => new AbortController());
    await Promise.all(controllers.map(({ signal }) => fetch(path, { signal })));
    const refused = await fetch(path);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'overloaded']);
    for (const controller of controllers) controller.abort();
    await waitFor('places are free again', async () => {
      const answer = await fetch(`${url}/api/v1/users/${NOBODY}/export?kind=fees`);
      return answer.status === 200;
    });
  });
});

function count(bytes: Uint8Array, byte: number): number {
  let found = 0;
  for (const each of bytes) if (each === byte) found++;
  return found;
}
