// A cluster of gateways, engines and a settler: what holds on one node holds across them, also while nodes die, sleep and move.
import { LIMITS, type MarketId, marketPartitionName, partitionOfMarket } from '@presage/protocol';
import { createSandboxClient } from '@presage/sdk';
import { ApprovalPending, createOperatorClient } from '@presage/sdk/operator';
import {
  isLongRun,
  SeededRandom,
  type ServiceNode,
  seedFromEnv,
  type TestClient,
  waitFor,
  walletOf,
} from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { verifyExchange } from '../../../../packages/sdk/src/verify/index.ts';
import { expectFilledOnChain, expectSettledOnce } from '../e2e/answered-check.ts';
import type { Exchange } from '../e2e/exchange.ts';
import { RecordedLoad } from '../e2e/recorded-load.ts';
import { readLog, servicePid } from '../e2e/second-node.ts';
import type { MarketBody, OrderBody } from '../e2e/wire.ts';
import { ClusterFaults } from './cluster-faults.ts';
import { ClusterLoad, expectSound } from './cluster-load.ts';
import { RepeatedOrders, whileAppendsFail } from './failing-appends.ts';
import { expectRebuiltAlike } from './rebuilt-view.ts';
import { TestCluster } from './test-cluster.ts';

const LEASE_SECONDS = 2;
const PARTITIONS = 8;
/** A short run does each once. */
const TORTURE_MS = isLongRun ? 300_000 : 0;
const REPEATED = isLongRun ? 2_000 : 150;
const random = new SeededRandom(seedFromEnv(Date.now()));
let cluster: TestCluster;
let markets: MarketBody[];
let first: TestClient;
let second: TestClient;

beforeAll(async () => {
  cluster = await TestCluster.open({ engines: 2, gateways: 2, partitions: PARTITIONS, leaseSeconds: LEASE_SECONDS });
  [first, second] = [cluster.client(0), cluster.client(1)];
  markets = await cluster.settler.seededMarkets();
});
afterAll(() => cluster?.close());

async function books(client: TestClient): Promise<unknown[]> {
  return Promise.all(markets.map(({ id }) => client.read(`/api/v1/orderbook/${id}?outcome=YES`)));
}

async function ownedBy(node: ServiceNode): Promise<string[]> {
  const answer = await fetch(`${node.url}/ready`);
  return ((await answer.json()) as { partitions: string[] }).partitions;
}

/** On every gateway, which follow at their own pace. */
async function allListed(): Promise<void> {
  for (const client of [first, second]) {
    for (const { id } of markets)
      await waitFor('the market is listed', async () => (await client.get(`/api/v1/markets/${id}`)).status === 200);
  }
}

function partitionName(marketId: string): string {
  return marketPartitionName(partitionOfMarket(marketId as MarketId, PARTITIONS));
}

/** Trades that were sent to the chain and not confirmed. */
async function inBatches(settler: Exchange): Promise<number> {
  return (await settler.pending()).filter(({ stage }) => stage === 'submitted').length;
}

async function isBack({ client }: Pick<Exchange, 'client'>): Promise<boolean> {
  return (await client.get('/ready').catch(() => undefined))?.status === 200;
}

/** The end of what each node said. */
function logs(): string {
  return [...cluster.engines, ...cluster.gateways]
    .map(({ name, said }) => `${name}:\n${said.slice(-2_000)}`)
    .join('\n');
}

describe(`a cluster of five nodes, seed ${random.seed}`, () => {
  it('the engines have shared the partitions out between them', async () => {
    // The first to start takes what nobody has, and hands over what is beyond its share.
    const owned = await waitFor('all are owned, by both alike', async () => {
      const each = await Promise.all(cluster.engines.map(ownedBy));
      return each.flat().length === 9 && Math.max(...each.map(({ length }) => length)) === 5 && each;
    });
    expect(owned.flat().sort()).toEqual(['control', 'm0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']);
  });

  it('an order that one gateway took is matched at another, read at both, settled, and posted again anywhere is answered alike', async () => {
    const market = markets[0] as MarketBody;
    const [alice, bob] = [walletOf('cluster alice'), walletOf('cluster bob')];
    const sell = await first.signOrder(alice, { market: market.id, side: 'sell', price: '0.6', size: '10' });
    const rested = await first.post<{ orderHash: string }>('/api/v1/orders', sell);
    expect(rested.status).toBe(200);
    const buy = await second.signOrder(bob, { market: market.id, side: 'buy', price: '0.6', size: '4' });
    const matched = await second.post<{ filledSize: number }>('/api/v1/orders', buy);
    expect(matched).toMatchObject({ status: 200, body: { filledSize: 4_000_000 } });
    const again = await first.post<{ orderHash: string }>('/api/v1/orders', buy);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    for (const client of [first, second]) {
      const order = await waitFor('it is known here', async () => {
        const read = await client.read<OrderBody>(`/api/v1/orders/${rested.body.orderHash}`);
        return read.filledSize === 4_000_000 && read;
      });
      expect(order).toMatchObject({ size: 10_000_000 });
    }
    const cancelled = await second.delete(`/api/v1/orders/${rested.body.orderHash}?marketId=${market.id}`);
    expect(cancelled.status).toBe(200);
    await cluster.settler.settled();
    expect(await first.read('/api/v1/failed-trades')).toMatchObject({ count: 0 });
  });

  it('what only the settler has is answered through every gateway', async () => {
    for (const client of [first, second]) {
      expect((await client.get('/api/v1/journal/anchors')).status).toBe(200);
      const made = await client.post<MarketBody>('/sandbox/markets', {
        question: 'Through a gateway?',
        expiresIn: 86_400,
      });
      expect(made.status).toBe(200);
      markets.push(made.body);
    }
  });

  it('an action that two operators do is asked for at one gateway and confirmed at the other', async () => {
    const urls = cluster.gateways.map(({ url }) => url);
    const sandboxKey = await createSandboxClient({ url: cluster.settler.client.url }).getOperatorKey();
    const alice = createOperatorClient({ url: urls[0]!, key: sandboxKey });
    const { keyId: id, privateKey } = await alice.addOperatorKey({ name: 'bob', rights: ['read', 'markets'] });
    const bob = createOperatorClient({ url: urls[1]!, key: { id, privateKey: privateKey! } });
    const { now } = await first.read<{ now: number }>('/api/v1/time');
    const draft = { question: 'Do two nodes agree?', expiration: now + 86_400, draft: true };
    const pending = await alice.createMarket(draft).catch((error: unknown) => error);
    if (!(pending instanceof ApprovalPending)) throw new Error(`it was not asked for: ${JSON.stringify(pending)}`);
    const { approvalId } = pending.approval;
    expect(await bob.listApprovals()).toMatchObject({ approvals: [{ approvalId, action: 'create-market' }] });
    const { marketId } = (await bob.confirmApproval(approvalId)).result as { marketId: string };
    for (const client of [first, second]) {
      const isListed = async () => (await client.get(`/api/v1/markets/${marketId}`)).status === 200;
      await waitFor('the market is listed', isListed);
    }
    expect(await alice.listActions({ limit: 2 })).toMatchObject({
      actions: [
        { kind: 'create-market', action: { approval: { id: approvalId, by: id } } },
        { kind: 'request-approval' },
      ],
    });
  });

  it(
    'under kills, pauses, failovers and standstills of the database, broken links and clock jumps nothing answered is lost, doubled or reordered, both gateways have equal books, and the view that all share is the one that the journal gives',
    async () => {
      onTestFailed(() => console.log(logs()));
      await allListed();
      const load = new ClusterLoad({ random, clients: [first, second], markets: markets.map(({ id }) => id) });
      const running = load.run();
      const faults = new ClusterFaults(cluster, random, LEASE_SECONDS * 1_000);
      const startMs = performance.now();
      const untilMs = startMs + TORTURE_MS;
      while (performance.now() < untilMs || !faults.wereAllDone) {
        const fault = await faults.strike();
        await load.quiet().catch((cause: unknown) => {
          throw new Error(`after ${fault}: ${logs()}`, { cause });
        });
      }
      load.stop();
      await running;
      // The last fault may have been a kill, whose node starts again meanwhile.
      for (const node of [{ client: first }, { client: second }, cluster.settler]) {
        await waitFor('it is back', () => isBack(node), { timeoutMs: 60_000 });
      }
      const seconds = Math.round((performance.now() - startMs) / 1_000);
      const { answered, outagesMs, medianOutageMs } = load;
      const count = { answered: answered.length, cancelled: load.cancelled.size };
      console.info({ seconds, faults: Object.fromEntries(faults.done), ...count, medianOutageMs, outagesMs });
      expect(answered.length).toBeGreaterThan(40);
      for (const { carried } of cluster.relays) expect(carried).toBeGreaterThan(answered.length);
      await waitFor('both gateways show the same books', async () => {
        const [a, b] = await Promise.all([books(first), books(second)]);
        return JSON.stringify(a) === JSON.stringify(b);
      });
      await load.expectKept([first, second]);
      await cluster.settler.settled();
      await expectFilledOnChain(cluster.settler, answered);
      // Both publish the journal of one database: at CI size one of them is verified.
      const published = isLongRun ? cluster.gateways : [random.pick(cluster.gateways)];
      for (const { url } of published) await expectSound({ url, rpcUrl: cluster.settler.sandbox.rpcUrl }, load);
      await expectRebuiltAlike(cluster.database, PARTITIONS);
    },
    3 * TORTURE_MS + 240_000,
  );

  it(`${REPEATED} orders, each posted up to five times through two gateways while appends fail, are durable once answered, and none is doubled`, async () => {
    onTestFailed(() => console.log(logs()));
    await allListed();
    const orders = new RepeatedOrders(random, [first, second]);
    const ids = markets.map(({ id }) => id);
    await whileAppendsFail(cluster, () => orders.post(REPEATED, ids));
    const { accepted, replays, refusals, withoutReceipt } = orders;
    console.info({ accepted: accepted.size, replays, refusals: Object.fromEntries(refusals) });
    expect(cluster.engines.map(({ said }) => said).join(), 'appends failed').toContain('refused by the test');
    expect(withoutReceipt).toEqual([]);
    expect([...refusals.keys()].filter((each) => !each.startsWith('503'))).toEqual([]);
    expect(accepted.size).toBeGreaterThan(REPEATED / 2);
    await orders.expectKept();
    await cluster.settler.settled();
    await expectFilledOnChain(cluster.settler, [...accepted.values()]);
    const { violation } = await verifyExchange({
      url: cluster.gateways[0]!.url,
      rpcUrl: cluster.settler.sandbox.rpcUrl,
      receipts: orders.receipts,
      answered: [...accepted.keys()],
    });
    expect(violation).toBeUndefined();
  });

  it('a settler that is killed in the middle of batches settles every trade once, and leaves none', async () => {
    const { settler } = cluster;
    // At CI size seldom enough that a settler starts again before hundreds more wait for it.
    const load = new RecordedLoad(random, isLongRun ? undefined : 400);
    const kills = isLongRun ? 4 : 1;
    const fresh = await settler.newMarket('Does a killed settler settle it once?');
    await waitFor('it is listed', async () => (await first.get(`/api/v1/markets/${fresh.id}`)).status === 200);
    const running = load.run(first, fresh.id);
    onTestFinished(() => load.stop());
    for (let kill = 0; kill < kills; kill++) {
      await waitFor('a batch is on its way', async () => (await inBatches(settler)) > 0, { pollMs: 10 });
      settler.sandbox.signal('service', 'SIGKILL');
      await load.answers(20);
      await waitFor('the settler is back', () => isBack(settler));
    }
    load.stop();
    await running;
    await load.resolveUnanswered(second);
    await expectSettledOnce(settler, [fresh], load.answered);
    await expectFilledOnChain(settler, load.answered);
    console.info({ kills, answered: load.answered.length, trades: (await settler.trades(fresh.id)).length });
  });

  it('a settler whose chain was taken stands by for it without ending, takes it again, and settles on', async () => {
    const { settler } = cluster;
    const pid = servicePid(settler.sandbox);
    await cluster.database.primary.query(`update journal_leases set epoch = epoch + 1, owner = 'another', address = 'another',
      expires = clock_timestamp() + interval '1 second' where part like 'chain-%'`);
    await waitFor('it stands by', async () => (await readLog(settler.sandbox)).includes('and stands by'));
    await waitFor('it is back', () => isBack(settler));
    expect(servicePid(settler.sandbox)).toBe(pid);
    const market = await settler.newMarket('Does it settle again?');
    await waitFor('it is listed', async () => (await first.get(`/api/v1/markets/${market.id}`)).status === 200);
    for (const [name, side] of [
      ['alice', 'sell'],
      ['bob', 'buy'],
    ] as const) {
      const order = { market: market.id, side, price: '0.5', size: '1' } as const;
      const signed = await first.signOrder(walletOf(`standing by ${name}`), order);
      expect((await first.post('/api/v1/orders', signed)).status).toBe(200);
    }
    // The settler follows what the gateway took.
    await waitFor('the trade is settled', async () => (await settler.trades(market.id))[0]?.status === 'confirmed');
  });

  it('while the owner of some partitions is silent, orders of others do not wait behind those that wait for it', async () => {
    const [silent] = cluster.engines as [ServiceNode];
    const owned = await waitFor('both engines own partitions', async () => {
      const each = await Promise.all(cluster.engines.map(ownedBy));
      return each.every(({ length }) => length > 1) && each[0];
    });
    const isOfSilent = ({ id }: MarketBody) => owned.includes(partitionName(id));
    const [there, here] = [markets.find(isOfSilent)!, markets.find((market) => !isOfSilent(market))!];
    const trader = walletOf('cluster patient');
    const bid = (market: MarketBody) =>
      first.signOrder(trader, { market: market.id, side: 'buy', price: '0.1', size: '10' });
    const bids = await Promise.all(Array.from({ length: 2 * LIMITS.ordersUnderWay }, () => bid(there)));
    silent.signal('SIGSTOP');
    onTestFinished(() => void silent.signal('SIGCONT'));
    const answered: number[] = [];
    const waiting = bids.map(async (order) => answered.push((await first.post('/api/v1/orders', order)).status));
    for (let count = 0; count < 5; count++) {
      expect((await first.post('/api/v1/orders', await bid(here))).status).toBe(200);
    }
    expect(answered).toEqual([]);
    await Promise.all(waiting);
    expect(answered).toEqual(Array(bids.length).fill(200));
    silent.signal('SIGCONT');
    await waitFor('both engines own partitions again', async () => (await ownedBy(silent)).length > 1);
  });

  it('a gateway is not ready while nobody decides, and says that it lacks an engine', async () => {
    const url = cluster.gateways[0]?.url;
    for (const engine of cluster.engines) await engine.end('SIGKILL');
    const unready = await waitFor('it is not ready', async () => {
      const answer = await fetch(`${url}/ready`);
      return answer.status === 503 && answer.json();
    });
    expect(unready).toMatchObject({ status: 'waiting', degraded: expect.arrayContaining(['engine']) });
    expect((await first.get('/api/v1/markets')).status).toBe(200);
    for (const engine of cluster.engines) engine.restart();
    await waitFor('it is ready again', () => isBack({ client: first }));
  });

  it('an engine with another receipt key is refused and named on both sides, and owns nothing', async () => {
    const [gateway] = cluster.gateways;
    const odd = await cluster.addEngine('engine-odd', { PRESAGE_RECEIPT_KEY: '22'.repeat(32) });
    const degraded = async (url: string | undefined): Promise<string[]> =>
      (await (await fetch(`${url}/ready`)).json()).degraded;
    for (const url of [odd.url, gateway?.url])
      await waitFor('the key is named', async () => (await degraded(url)).includes('receipt_key'));
    expect(odd.said).toContain('Set PRESAGE_RECEIPT_KEY to the same value on all nodes.');
    expect(await ownedBy(odd)).toEqual([]);
    expect((await fetch(`${gateway?.url}/ready`)).status).toBe(200);
    await odd.end();
    await waitFor('nothing is named', async () => (await degraded(gateway?.url)).length === 0);
  });

  it('a settler that stands by goes on doing so while the database is away, takes the chain when the other is silent, and opens its anchors', async () => {
    const { settler, database } = cluster;
    const standing = await cluster.addSettler('settler-1');
    await database.primary.stop();
    await waitFor('it has noticed', () => /standing by: The connection/.test(standing.said));
    await database.primary.start();
    const paused = servicePid(settler.sandbox) as number;
    process.kill(paused, 'SIGSTOP');
    onTestFinished(() => void process.kill(paused, 'SIGCONT'));
    await waitFor('it has taken the chain', () => standing.isReady());
    await waitFor('the gateways pass on to it', async () => {
      const { status } = await first.get('/api/v1/journal/anchors');
      return status === 200;
    });
    const { url } = cluster.gateways[0] as ServiceNode;
    const { violation, counts } = await verifyExchange({ url, rpcUrl: settler.sandbox.rpcUrl });
    expect(violation).toBeUndefined();
    expect(counts.anchors).toBeGreaterThan(0);
    await standing.end();
    process.kill(paused, 'SIGCONT');
    await waitFor('the first has it again', () => isBack(settler));
    expect(servicePid(settler.sandbox)).toBe(paused);
  });

  it('while an old primary answers alone no node ends or writes, reads go on, and all heal when the right one is back', async () => {
    const { settler, database } = cluster;
    onTestFailed(async () => console.log(logs(), (await readLog(settler.sandbox)).slice(-4_000)));
    const pid = servicePid(settler.sandbox);
    const pids = [...cluster.engines, ...cluster.gateways].map((node) => node.pid);
    const market = markets[0] as MarketBody;
    const place = async (name: string) => {
      const signed = await first.signOrder(walletOf(name), { market: market.id, side: 'buy', price: '0.1', size: '1' });
      return { signed, answer: await first.post<{ orderHash: string }>('/api/v1/orders', signed) };
    };
    await database.primary.kill();
    await database.promote();
    const kept = await waitFor('an order is answered by the new primary', async () => {
      const { answer } = await place(`split ${random.int(1, 1_000_000)}`);
      return answer.status === 200 && answer.body;
    });
    // The old one comes back as a primary, and is the only one that can be reached.
    await database.standby.start();
    await database.primary.stop();
    const unready = await waitFor('the gateway stands by', async () => {
      const answer = await fetch(`${cluster.gateways[0]?.url}/ready`);
      return answer.status === 503 && answer.json();
    });
    expect(unready).toMatchObject({ degraded: expect.arrayContaining(['journal']) });
    expect((await first.get(`/api/v1/orderbook/${market.id}?outcome=YES`)).status).toBe(200);
    const refused = await place('refused while split');
    expect(refused.answer.status).toBe(503);
    const framesOf = async () =>
      (await database.standby.query('select part, last_seq from journal_frames order by 1, 2')).length;
    const frames = await framesOf();
    await waitFor(
      'the settler stands by',
      async () => (await fetch(`${settler.sandbox.url}/ready`).catch(() => undefined))?.status !== 200,
    );
    expect(await framesOf()).toBe(frames);
    await database.standby.stop();
    await database.primary.start();
    for (const node of [{ client: first }, { client: second }, settler])
      await waitFor('it is back', () => isBack(node), { timeoutMs: 60_000 });
    const again = await waitFor('the refused order is taken', async () => {
      const answer = await first.post('/api/v1/orders', refused.signed);
      return answer.status === 200 && answer;
    });
    expect(again.status).toBe(200);
    for (const client of [first, second]) {
      const read = await waitFor('it is shown', async () => {
        const found = await client.get<OrderBody>(`/api/v1/orders/${kept.orderHash}`);
        return found.status === 200 && found.body;
      });
      expect(read.size).toBe(1_000_000);
    }
    expect([...cluster.engines, ...cluster.gateways].map((node) => node.pid)).toEqual(pids);
    expect(servicePid(settler.sandbox)).toBe(pid);
  });

  it('an engine that joins is handed its share, one that is stopped hands all of it over, and orders are answered meanwhile', async () => {
    const load = new ClusterLoad({ random, clients: [first, second], markets: markets.map(({ id }) => id) });
    const running = load.run();
    const third = await cluster.addEngine('engine-2');
    await waitFor('it has its share', async () => (await ownedBy(third)).length === 3);
    await third.end();
    expect(third.said.match(/handed \w+ over to/g)).toHaveLength(3);
    expect(third.said).not.toMatch(/gives \w+ up/);
    load.stop();
    await running;
    const moves = cluster.engines.flatMap(({ said }) => said.match(/handed \w+ over to [^"]*/g) ?? []);
    console.info({ moves, slowestMs: load.slowestMs });
    expect(moves.length).toBeGreaterThanOrEqual(3);
    await load.expectKept([first, second]);
  });
});
