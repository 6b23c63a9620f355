// Two nodes on one journal in PostgreSQL: when the one that trades is paused or killed the other goes on, and nothing answered is lost.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { isLongRun, SeededRandom, seedFromEnv, type TestClient, waitFor } from '@presage/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifyExchange } from '../../../../packages/sdk/src/verify/index.ts';
import { Exchange } from './exchange.ts';
import { RecordedLoad } from './recorded-load.ts';
import { isReady, readLog, SecondNode, servicePid } from './second-node.ts';
import type { MarketBody, OrderBody } from './wire.ts';

/** Each is read again from the other node. */
const ENOUGH = isLongRun ? 40 : 15;
const random = new SeededRandom(seedFromEnv(Date.now()));
const load = new RecordedLoad(random);
let folder: string;
let database: EmbeddedPostgres;
let settings: Record<string, string>;
let exchange: Exchange;
let second: SecondNode;
let market: MarketBody;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'presage-failover-'));
  database = await EmbeddedPostgres.open({ dataDir: folder });
  settings = {
    PRESAGE_JOURNAL_URL: database.url,
    PRESAGE_LEASE_SECONDS: '3',
    PRESAGE_RECEIPT_KEY: '11'.repeat(32),
  };
  exchange = await Exchange.open({ isNew: true, env: settings });
  await exchange.seededMarkets();
  market = await exchange.newMarket('Does the second node go on?');
  second = await SecondNode.start(exchange.sandbox, settings);
});
afterAll(async () => {
  await second?.kill();
  // Not stopped: whoever was overtaken a moment ago ends with a code of its own.
  await exchange?.sandbox.killGroup();
  await exchange?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

async function expectAnswered(client: TestClient, from: number): Promise<void> {
  await load.resolveUnanswered(client);
  expect(load.answered.length).toBeGreaterThan(from);
  for (const { submission, answer } of load.answered) {
    const order = await client.read<OrderBody>(`/api/v1/orders/${answer.orderHash}`);
    expect(order).toMatchObject({ size: submission.order.size, nonce: submission.order.nonce });
    expect(order.filledSize).toBeGreaterThanOrEqual(answer.filledSize);
  }
}

describe(`two nodes on one journal, seed ${random.seed}`, () => {
  it('the second stands by, says whom it waits for, and answers nothing meanwhile', async () => {
    await waitFor('it stands by', () => second.said.includes('standing by'));
    expect(second.said).toContain(`${exchange.sandbox.url} holds the partition control`);
    expect((await fetch(`${second.url}/api/v1/markets`)).status).toBe(425);
    expect(await isReady(exchange.sandbox.url)).toBe(true);
  });

  it('a node whose appends the database refuses answers 503, reads on, and goes on by itself when they are taken again', async () => {
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    const takeAgain = () => sql.unsafe('drop trigger if exists refuse on journal_frames');
    onTestFinished(async () => {
      await takeAgain();
      await sql.end();
    });
    const pid = servicePid(exchange.sandbox);
    const writing = load.run(exchange.client, market.id);
    await waitFor('enough was answered', () => load.answered.length > ENOUGH, { pollMs: 5 });
    await sql.unsafe(`create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`);
    await sql.unsafe('create trigger refuse before insert on journal_frames for each row execute function refuse()');
    const hasFailed = () => load.refused.some(({ details }) => details?.reason === 'write_failed');
    // A node that nobody writes to finds out that its appends are refused only with the next one.
    const isSaid = async () => {
      const { status, body } = await exchange.client.get<{ degraded: string[] }>('/ready');
      return hasFailed() && status === 503 && body.degraded.includes('journal');
    };
    await waitFor('writes are refused, and /ready says so', isSaid, { pollMs: 5 }).finally(() => load.stop());
    await writing;
    expect((await exchange.client.get(`/api/v1/orderbook/${market.id}?outcome=YES`)).status).toBe(200);
    await takeAgain();
    await waitFor('the node is ready again', () => isReady(exchange.sandbox.url));
    await expectAnswered(exchange.client, ENOUGH);
    expect(servicePid(exchange.sandbox), 'it did not end').toBe(pid);
  });

  it('a node that is paused for longer than its lease loses nothing, and ends by itself when it wakes', async () => {
    const writing = load.run(exchange.client, market.id);
    await waitFor('enough was answered', () => load.answered.length > ENOUGH, { pollMs: 5 });
    const paused = servicePid(exchange.sandbox)!;
    process.kill(paused, 'SIGSTOP');
    load.stop();
    await waitFor('the second node is ready', () => isReady(second.url));
    process.kill(paused, 'SIGCONT');
    await writing;
    await expectAnswered(exchange.client.at(second.url), ENOUGH);
    await waitFor('the first has ended and was started again', async () => {
      const pid = servicePid(exchange.sandbox);
      return pid !== undefined && pid !== paused;
    });
    expect(await readLog(exchange.sandbox)).toContain('was overtaken by another owner');
  });

  it('a node that took over opens the anchors that the other one made', async () => {
    const { violation, counts } = await verifyExchange({ url: second.url, rpcUrl: exchange.sandbox.rpcUrl });
    expect(violation).toBeUndefined();
    expect(counts.anchors).toBeGreaterThan(0);
  });

  it('a node that is killed is followed by the one that stands by, and every trade settles once', async () => {
    const from = load.answered.length;
    const client = exchange.client.at(second.url);
    const again = new RecordedLoad(random);
    const writing = again.run(client, market.id);
    await waitFor('enough was answered', () => again.answered.length > ENOUGH, { pollMs: 5 });
    await second.kill();
    await writing;
    load.answered.push(...again.answered);
    load.unanswered.push(...again.unanswered);
    await waitFor('the first node is ready again', () => isReady(exchange.sandbox.url));
    await expectAnswered(exchange.client, from);
    await exchange.settled();
    expect(await exchange.client.read('/api/v1/failed-trades')).toEqual({ failedTrades: [], count: 0 });
    for (const { address } of new Set(load.answered.map(({ submission }) => ({ address: submission.order.trader })))) {
      const { reported, onChain } = await exchange.sharesBothWays(market, { address });
      expect(reported).toEqual(onChain);
    }
  });

  it('a node that is told to stop while it opens gives back the partitions that it has taken already', async () => {
    await exchange.sandbox.killGroup();
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    onTestFinished(() => sql.end());
    await sql`update journal_leases set owner = '', address = '', expires = '-infinity'`;
    await sql`update journal_leases set owner = 'another', address = 'another', expires = 'infinity' where part = 'm0'`;
    const third = await SecondNode.start(exchange.sandbox, settings);
    onTestFinished(() => third.kill());
    await waitFor('it waits for its second partition', () => third.said.includes('another holds the partition m0'));
    expect(await sql`select part from journal_leases where owner not in ('', 'another')`).toEqual([
      { part: 'control' },
    ]);
    expect(await third.stop()).toBe(0);
    expect(await sql`select part from journal_leases where owner not in ('', 'another')`).toEqual([]);
  });
});
