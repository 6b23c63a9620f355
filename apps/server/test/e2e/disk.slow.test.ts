// A disk that is full and then is not, one that refuses writes, and one whose power is cut under load: what was answered is there.
import { join } from 'node:path';
import { isLongRun, SeededRandom, seedFromEnv, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAnswered, expectFilledOnChain, expectSettledOnce } from './answered-check.ts';
import { Exchange } from './exchange.ts';
import { LoopDisk } from './loop-disk.ts';
import { RecordedLoad } from './recorded-load.ts';
import type { MarketBody } from './wire.ts';

const CUTS = isLongRun ? 50 : 1;
const random = new SeededRandom(seedFromEnv(Date.now()));
const load = new RecordedLoad(random);
const markets: MarketBody[] = [];
const disk = await LoopDisk.open(640);
let exchange: Exchange;

beforeAll(async () => {
  if (disk === undefined) return;
  exchange = await Exchange.open({ parentDir: disk.path });
  await exchange.seededMarkets();
});
afterAll(async () => {
  await exchange?.close();
  await disk?.close();
});

async function newMarket(question: string): Promise<MarketBody> {
  const market = await exchange.newMarket(question);
  markets.push(market);
  return market;
}

async function startOfService(): Promise<string | undefined> {
  return /^process_start_time_seconds (.+)$/m.exec(await exchange.client.read<string>('/metrics'))?.[1];
}

async function degraded(): Promise<string[] | undefined> {
  return (await exchange.client.get<{ degraded: string[] }>('/ready').catch(() => undefined))?.body.degraded;
}

describe.skipIf(disk === undefined)(`a service on a disk of its own, seed ${random.seed}`, () => {
  it('says that its disk is full, refuses writes with a remedy while reads go on, and accepts again by itself', async () => {
    const market = await newMarket('Is the disk full?');
    const start = await startOfService();
    const writing = load.run(exchange.client, market.id);
    await load.answers(isLongRun ? 40 : 15);
    await disk!.fill(30 * 2 ** 20);
    await waitFor('writes are refused', () => load.refused.length > 0);
    expect(load.refused[0]).toMatchObject({ code: 'journal_unavailable', details: { reason: 'disk_full' } });
    await waitFor('the disk is named', async () => (await degraded())?.includes('disk'));
    await disk!.fill(0);
    const order = { market: market.id, side: 'buy', price: '0.5', size: '1' } as const;
    const refusal = await exchange.client.placeOrder(walletOf('finds no room'), order);
    expect(refusal).toMatchObject({ status: 503, body: { code: 'journal_unavailable' } });
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await exchange.client.get(`/api/v1/orderbook/${market.id}?outcome=YES`)).status).toBe(200);
    await disk!.empty();
    await load.answers(isLongRun ? 20 : 10);
    load.stop();
    await writing;
    await waitFor('nothing is the matter', async () => (await degraded())?.length === 0, { timeoutMs: 60_000 });
    await load.resolveUnanswered(exchange.client);
    expect(await startOfService(), 'it did not end').toBe(start);
    expect(await exchange.sandbox.transcript()).toMatch(/the disk is full: writes are refused/);
    await expectAnswered(exchange, load);
  });

  it('refuses writes while its journal cannot be written, answers reads, and takes writes again by itself without ending', async () => {
    const from = load.answered.length;
    const market = await newMarket('Can the journal be written?');
    const start = await startOfService();
    const journal = join(exchange.sandbox.dataDir, 'service', 'journal');
    const writing = load.run(exchange.client, market.id);
    await load.answers(10);
    await disk!.protect(journal, true);
    const hasFailed = () => load.refused.some(({ details }) => details?.reason === 'write_failed');
    await waitFor('writes are refused', hasFailed).finally(() => load.stop());
    await writing;
    expect(await exchange.client.get('/ready')).toMatchObject({ status: 503, body: { degraded: ['journal'] } });
    expect((await exchange.client.get(`/api/v1/orderbook/${market.id}?outcome=YES`)).status).toBe(200);
    const order = { market: market.id, side: 'buy', price: '0.5', size: '1' } as const;
    const refusal = await exchange.client.placeOrder(walletOf('cannot be written'), order);
    expect(refusal).toMatchObject({ status: 503, body: { code: 'journal_unavailable' } });
    await disk!.protect(journal, false);
    await waitFor('nothing is the matter', async () => (await degraded())?.length === 0, { timeoutMs: 60_000 });
    await load.resolveUnanswered(exchange.client);
    expect(await startOfService(), 'it did not end').toBe(start);
    expect(load.answered.length).toBeGreaterThan(from + 10);
    await expectAnswered(exchange, { answered: load.answered.slice(from), cancelled: [] });
  });

  it.each(Array.from({ length: CUTS }, (_, cut) => cut + 1))('loses nothing answered in power cut %i', async (cut) => {
    const from = { answered: load.answered.length, cancelled: load.cancelled.length };
    const market = await newMarket(`Does it outlive power cut ${cut}?`);
    const writing = load.run(exchange.client, market.id);
    await load.answers(random.int(5, isLongRun ? 60 : 15));
    await disk!.cutPower();
    await exchange.sandbox.killGroup();
    await writing;
    await disk!.unmount();
    await disk!.mount();
    exchange = await exchange.reopen();
    await load.resolveUnanswered(exchange.client);
    const [answered, cancelled] = [load.answered.slice(from.answered), load.cancelled.slice(from.cancelled)];
    expect(answered.length).toBeGreaterThan(0);
    await expectAnswered(exchange, { answered, cancelled });
  });

  it('settles everything once', async () => {
    await expectSettledOnce(exchange, markets, load.answered);
    await expectFilledOnChain(exchange, load.answered);
    process.stderr.write(
      `${CUTS} power cuts: ${load.answered.length} orders, ${load.cancelled.length} cancels answered\n`,
    );
  });
});
