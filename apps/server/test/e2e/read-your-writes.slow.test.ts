// Write, then read at once: the read shows the write, every time, while others keep the service busy.
import { setTimeout as sleep } from 'node:timers/promises';
import { isLongRun, type OrderAnswerBody, SeededRandom, seedFromEnv, TestClient, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { BookBody, ErrorReply, LifeEvent, MarketBody, OrderBody, PositionBody, TradeBody } from './wire.ts';

const ROUNDS = isLongRun ? 2_000 : 21;
const WRITERS = 4;
/** They sign in the same process as the reader: without a pause they would slow the reader, not the service. All that they trade settles. */
const PAUSE_MS = isLongRun ? 10 : 40;
/** Writes of the quiet stretch, at 50 a second. */
const QUIET_WRITES = isLongRun ? 3_000 : 100;
const QUIET_PAUSE_MS = 20;
const [ann, ben] = [walletOf('reader ann'), walletOf('reader ben')];
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open();
  market = await exchange.newMarket('Does a read show what was written?');
});
afterAll(() => exchange?.close());

/** Writers that trade with each other elsewhere, so that journal, database and chain all have work. */
async function openLoad(): Promise<() => Promise<number>> {
  const busy = await exchange.newMarket('Is it busy here?');
  let isOver = false;
  let written = 0;
  const write = async (index: number): Promise<void> => {
    const client = await TestClient.open(exchange.sandbox.url);
    const wallet = walletOf(`writer ${index}`);
    while (!isOver) {
      const side = written % 2 === 0 ? 'buy' : 'sell';
      await client.order(wallet, { market: busy.id, side, price: '0.5', size: '1' });
      written += 1;
      await sleep(PAUSE_MS);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, index) => write(index));
  return async () => {
    isOver = true;
    await Promise.all(writers);
    return written;
  };
}

/** A view that lags says so instead of showing old news; then one asks again, as a client would. */
async function read<T>(path: string): Promise<T> {
  for (;;) {
    const { status, body } = await exchange.client.get<T>(path);
    if (status === 200) return body;
    expect(body as ErrorReply).toMatchObject({ code: 'view_behind' });
    await sleep(100);
  }
}

const orders = { bought: 0, index: 0 };

/** A price that no other order of this test has, and that nothing crosses. */
function rest(): Promise<OrderAnswerBody> {
  orders.index += 1;
  const price = (orders.index / 1e6).toFixed(6);
  return exchange.client.order(ann, { market: market.id, side: 'buy', price, size: '1' });
}

async function cross(): Promise<OrderAnswerBody> {
  await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.9', size: '1' });
  const taker = await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.9', size: '1' });
  expect(taker.matches).toBe(1);
  orders.bought += 1_000_000;
  return taker;
}

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  'a resting order is on the book': async () => {
    await rest();
    const { bids } = await read<BookBody>(`/api/v1/orderbook/${market.id}?outcome=YES`);
    expect(bids).toContainEqual({ price: orders.index, size: 1_000_000 });
  },
  'a resting order is among the open ones': async () => {
    const { orderHash } = await rest();
    const { orders: open } = await read<{ orders: OrderBody[] }>(`/api/v1/orders?trader=${ann.address}`);
    expect(open[0]).toMatchObject({ orderHash, status: 'open' });
  },
  'an order is found by its hash': async () => {
    const { orderHash } = await rest();
    expect(await read(`/api/v1/orders/${orderHash}`)).toMatchObject({ orderHash, status: 'open' });
  },
  'a cancelled order is off the book and cancelled': async () => {
    const { orderHash } = await rest();
    await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`);
    const { bids } = await read<BookBody>(`/api/v1/orderbook/${market.id}?outcome=YES`);
    expect(bids.map(({ price }) => price)).not.toContain(orders.index);
    const { events } = await read<{ events: LifeEvent[] }>(`/api/v1/orders/${orderHash}/events`);
    expect(events.map(({ type }) => type)).toEqual(['accepted', 'cancelled']);
  },
  'a trade is the newest of its market': async () => {
    const { trades: answered } = await cross();
    const { trades } = await read<{ trades: TradeBody[] }>(`/api/v1/trades/${market.id}`);
    expect(trades[0]).toMatchObject({ id: answered[0]?.id, buyer: ben.address, seller: ann.address });
  },
  'a purchase is in the position': async () => {
    await cross();
    const { yesShares } = await read<PositionBody>(`/api/v1/positions/${market.id}?user=${ben.address}`);
    expect(yesShares).toBe(orders.bought);
  },
  'a trade is in the figures of its market': async () => {
    await cross();
    const { volume } = await read<MarketBody>(`/api/v1/markets/${market.id}`);
    expect(volume).toBe((orders.bought * 9) / 10);
  },
};

describe('a read after an answered write', () => {
  it(`shows it, ${ROUNDS} times in a row under load`, async () => {
    const stop = await openLoad();
    const checks = Object.entries(CHECKS);
    for (let round = 0; round < ROUNDS; round++) {
      const [name, check] = checks[round % checks.length]!;
      await check().catch((error: unknown) => {
        throw new Error(`round ${round}: ${name}`, { cause: error });
      });
    }
    expect(await stop()).toBeGreaterThan(WRITERS);
  });

  it('was true: everything settles as it was shown', async () => {
    await exchange.settled();
    const { reported, onChain } = await exchange.sharesBothWays(market, ben);
    expect(reported).toEqual(onChain);
    expect(onChain.yes).toBe(BigInt(orders.bought));
  });
});

describe('a read at 50 writes a second, undisturbed', () => {
  it('is never refused for a view that is behind', async () => {
    const random = new SeededRandom(seedFromEnv(82));
    const { id } = await exchange.newMarket('Does the view keep up?');
    const lists = [`/api/v1/trades/${id}`, `/api/v1/markets/${id}`, `/api/v1/stats/${id}`, '/api/v1/pending-trades'];
    const reads: Promise<readonly [path: string, status: number]>[] = [];
    for (let written = 0; written < QUIET_WRITES; written++) {
      const wallet = random.pick([ann, ben]);
      const terms = { side: random.pick(['buy', 'sell'] as const), price: `0.${random.int(45, 55)}`, size: '1' };
      const { orderHash } = await exchange.client.order(wallet, { market: id, ...terms });
      const ofWallet = [`/api/v1/orders?trader=${wallet.address}`, `/api/v1/positions/${id}?user=${wallet.address}`];
      for (const path of [`/api/v1/orders/${orderHash}`, random.pick([...lists, ...ofWallet])]) {
        reads.push(exchange.client.get(path).then(({ status }) => [path, status]));
      }
      await sleep(QUIET_PAUSE_MS);
    }
    const refused = (await Promise.all(reads)).filter(([, status]) => status !== 200);
    expect(refused).toEqual([]);
  });
});
