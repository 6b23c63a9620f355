// Batches, trials, cancel-all and the dead-man switch, on the real service: cases of `orders.slow.test.ts`.
import { waitFor, walletOf } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import type { ErrorReply, MarketBody, OrderBody } from './wire.ts';

type Wallet = ReturnType<typeof walletOf>;

/** `exchange` is open by the time that the tests run; `reopen` replaces it after it was killed. */
export function testBulkOrders(exchange: () => Exchange, reopen: () => Promise<void>): void {
  async function openOrders({ address }: Wallet): Promise<OrderBody[]> {
    return (await exchange().client.read<{ orders: OrderBody[] }>(`/api/v1/orders?trader=${address}`)).orders;
  }

  const bids = (market: MarketBody, wallet: Wallet, prices: readonly string[]) =>
    Promise.all(
      prices.map((price) => exchange().client.signOrder(wallet, { market: market.id, side: 'buy', price, size: '1' })),
    );

  describe('a batch', () => {
    it('answers each order in its place, the bad ones with their own refusal', async () => {
      const market = await exchange().newMarket('Do batches keep their order?');
      const ann = walletOf('batch ann');
      const [first, second, third] = await bids(market, ann, ['0.10', '0.20', '0.30']);
      const forged = { ...second!, order: { ...second!.order, price: 999_999 } };
      const { status, body } = await exchange().client.post<{ results: Record<string, unknown>[] }>(
        '/api/v1/orders/batch',
        {
          orders: [first, forged, third, { nonsense: true }, first],
        },
      );
      expect(status).toBe(200);
      expect(body.results.map(({ status, code }) => status ?? code)).toEqual([
        'accepted',
        'invalid_signature',
        'accepted',
        'invalid_field',
        'accepted',
      ]);
      expect(body.results[4]).toEqual(body.results[0]);
      expect((await openOrders(ann)).map(({ price }) => price).sort()).toEqual([100_000, 300_000]);
    });

    it('of more than fifty is refused whole', async () => {
      const { status, body } = await exchange().client.post<ErrorReply>('/api/v1/orders/batch', {
        orders: Array(51).fill({}),
      });
      expect([status, body.code, body.details]).toEqual([400, 'batch_too_large', { maximum: 50 }]);
    });

    it('of fifty is placed whole', async () => {
      const market = await exchange().newMarket('Do fifty fit?');
      const ann = walletOf('fifty ann');
      const orders = await bids(
        market,
        ann,
        Array.from({ length: 50 }, (_, i) => (0.1 + i / 1_000).toFixed(3)),
      );
      const { body } = await exchange().client.post<{ results: { status: string }[] }>('/api/v1/orders/batch', {
        orders,
      });
      expect(body.results.every(({ status }) => status === 'accepted')).toBe(true);
      expect(await openOrders(ann)).toHaveLength(50);
    });
  });

  describe('an atomic batch', () => {
    interface Placed {
      readonly orderStatus: string;
      readonly orderHash: string;
      readonly receipt: { readonly frameHash: string };
    }
    const send = (orders: readonly unknown[]) =>
      exchange().client.post<{ results: Placed[] } & ErrorReply>('/api/v1/orders/batch', { orders, atomic: true });

    async function scene(name: string) {
      const [here, there] = [
        await exchange().newMarket(`${name}, here?`),
        await exchange().newMarket(`${name}, there?`),
      ];
      const [maker, taker] = [walletOf(`${name} maker`), walletOf(`${name} taker`)];
      for (const market of [here, there])
        await exchange().client.order(maker, { market: market.id, side: 'sell', price: '0.40', size: '5' });
      const buy = (market: MarketBody, size: string, flags: object = { timeInForce: 'FOK' }) =>
        exchange().client.signOrder(taker, { market: market.id, side: 'buy', price: '0.40', size, ...flags });
      return { here, there, maker, taker, buy };
    }

    it('is placed whole, in one frame, and answered alike when it is sent again', async () => {
      const { here, there, maker, buy } = await scene('whole');
      const resting = await exchange().client.signOrder(maker, {
        market: there.id,
        side: 'sell',
        price: '0.90',
        size: '1',
        postOnly: true,
      });
      const batch = [await buy(here, '2'), await buy(there, '5'), await buy(here, '3'), resting];
      const first = await send(batch);
      expect(first.status).toBe(200);
      expect(first.body.results.map(({ orderStatus }) => orderStatus)).toEqual(['filled', 'filled', 'filled', 'open']);
      const frames = first.body.results.map(({ receipt }) => receipt.frameHash);
      expect(new Set(frames).size).toBe(1);
      await waitFor('the receipts of a repeated answer', async () => {
        const again = await send(batch);
        expect(again.status).toBe(200);
        return JSON.stringify(again.body.results) === JSON.stringify(first.body.results);
      });
    });

    it('is refused whole where one order cannot be placed, and none of it is there', async () => {
      const { here, there, taker, buy } = await scene('none');
      const dear = await buy(there, '6');
      const { status, body } = await send([await buy(here, '2'), dear]);
      expect([status, body.code]).toEqual([409, 'batch_not_filled']);
      expect(body.details).toEqual({ index: 1, code: 'fok_not_filled', details: { fillable: 5_000_000 } });
      const forged = { ...dear, order: { ...dear.order, price: 500_000 } };
      const refused = await send([await buy(here, '2'), forged]);
      expect(refused.body.details).toMatchObject({ index: 1, code: 'invalid_signature' });
      const before = await buy(here, '1');
      expect((await exchange().client.post('/api/v1/orders', before)).status).toBe(200);
      const mixed = await send([await buy(here, '1'), before]);
      expect(mixed.body.details).toMatchObject({ index: 1, code: 'nonce_already_used' });
      const traded = async ({ id }: MarketBody) =>
        (await exchange().client.read<{ trades: unknown[] }>(`/api/v1/trades/${id}`)).trades.length;
      expect([await traded(here), await traded(there)]).toEqual([1, 0]);
      expect(await openOrders(taker)).toEqual([]);
    });

    it('takes only orders that fill whole at once, or only rest', async () => {
      const { here, buy } = await scene('terms');
      const { status, body } = await send([await buy(here, '2'), await buy(here, '1', {})]);
      expect([status, body.code, body.details?.field]).toEqual([400, 'invalid_field', 'orders.1.timeInForce']);
      expect((await send([])).body.results).toEqual([]);
    });
  });

  describe('an order on trial', () => {
    it('learns its hash, its signer and its fills, and leaves no trace', async () => {
      const market = await exchange().newMarket('Is a trial free?');
      const [seller, buyer] = [walletOf('trial seller'), walletOf('trial buyer')];
      await exchange().client.order(seller, { market: market.id, side: 'sell', price: '0.50', size: '3' });
      await exchange().client.order(seller, { market: market.id, side: 'sell', price: '0.55', size: '3' });
      const params = { market: market.id, side: 'buy', price: '0.60', size: '10' } as const;
      const submission = await exchange().client.signOrder(buyer, params);
      const { status, body } = await exchange().client.post<Record<string, unknown>>(
        '/api/v1/orders/validate',
        submission,
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({
        recoveredSigner: buyer.address,
        errors: [],
        wouldMatch: {
          matches: 2,
          filledSize: 6_000_000,
          remainingSize: 4_000_000,
          averagePrice: 525_000,
          worstPrice: 550_000,
          cost: 3_150_000,
          fee: 0,
        },
        maxFee: 0,
      });
      expect(await openOrders(buyer)).toEqual([]);
      const placed = await exchange().client.post<Record<string, unknown>>('/api/v1/orders', submission);
      expect(placed.body).toMatchObject({ orderHash: body.orderHash, matches: 2, filledSize: 6_000_000 });
    });

    it('receives every fault that can be found at once', async () => {
      const market = await exchange().newMarket('Are faults listed?');
      const submission = await exchange().client.signOrder(walletOf('faulty'), {
        market: market.id,
        side: 'buy',
        price: '0.60',
        size: '10',
      });
      const broken = { ...submission, order: { ...submission.order, price: 0, size: 0, expiration: 1 } };
      const { body } = await exchange().client.post<{ errors: ErrorReply[] }>('/api/v1/orders/validate', broken);
      expect(body.errors.map(({ code }) => code)).toEqual(
        expect.arrayContaining(['price_out_of_range', 'size_zero', 'expiration_too_soon']),
      );
    });
  });

  describe('cancel-all', () => {
    it('takes the orders of one market, then those of all', async () => {
      const [here, there] = [await exchange().newMarket('Here?'), await exchange().newMarket('There?')];
      const ann = walletOf('sweeping ann');
      for (const market of [here, here, there]) {
        await exchange().client.order(ann, { market: market.id, side: 'buy', price: '0.10', size: '1' });
      }
      const one = await exchange().client.delete<{ cancelled: string[]; count: number }>(
        `/api/v1/orders?trader=${ann.address}&marketId=${here.id}`,
      );
      expect([one.status, one.body.count, one.body.cancelled.length]).toEqual([200, 2, 2]);
      expect((await openOrders(ann)).map(({ marketId }) => marketId)).toEqual([there.id]);
      const rest = await exchange().client.delete<{ count: number }>(`/api/v1/orders?trader=${ann.address}`);
      expect(rest.body.count).toBe(1);
      expect(await openOrders(ann)).toEqual([]);
    });

    it('asks for the wallet when the caller is not authenticated', async () => {
      expect((await exchange().client.delete('/api/v1/orders')).status).toBe(400);
    });
  });

  describe('the dead-man switch', () => {
    const heartbeat = (wallet: Wallet, timeoutSeconds: number) =>
      exchange().client.post<{ expiresAt: number | null }>('/api/v1/orders/heartbeat', {
        timeoutSeconds,
        trader: wallet.address,
      });

    it('cancels the orders of a wallet that fell silent, and of no other; renewed or disarmed it cancels nothing', async () => {
      const market = await exchange().newMarket('Is anybody there?');
      const [silent, lively, disarmed] = ['silent', 'lively', 'disarmed'].map((name) => walletOf(`switch ${name}`)) as [
        Wallet,
        Wallet,
        Wallet,
      ];
      const openHere = async (wallet: Wallet) =>
        (await openOrders(wallet)).filter(({ marketId }) => marketId === market.id).length;
      const hashes = new Map<Wallet, string>();
      for (const wallet of [silent, lively, disarmed]) {
        const params = { market: market.id, side: 'buy', price: '0.10', size: '1' } as const;
        hashes.set(wallet, (await exchange().client.order(wallet, params)).orderHash);
      }
      await heartbeat(lively, 10);
      await heartbeat(lively, 300);
      await heartbeat(disarmed, 10);
      expect((await heartbeat(disarmed, 0)).body).toEqual({ expiresAt: null });
      // The last to be armed: once its time is over, so is the one that the others had before.
      const { body: armed } = await heartbeat(silent, 10);
      expect(Math.abs(armed.expiresAt! - Date.now() / 1_000 - 10)).toBeLessThan(60);
      await waitFor('the silent wallet has no orders', async () => (await openHere(silent)) === 0);
      expect([await openHere(lively), await openHere(disarmed)]).toEqual([1, 1]);
      const { body } = await exchange().client.get<{ events: { type: string; reason?: string }[] }>(
        `/api/v1/orders/${hashes.get(silent)}/events`,
      );
      expect(body.events.at(-1)).toMatchObject({ type: 'cancelled', reason: 'heartbeat_lapsed' });
    });

    it('still falls after a restart', async () => {
      const market = await exchange().newMarket('Does it remember?');
      const ann = walletOf('switch ann');
      await exchange().client.order(ann, { market: market.id, side: 'buy', price: '0.10', size: '1' });
      await heartbeat(ann, 8);
      await exchange().sandbox.killGroup();
      await reopen();
      await waitFor('the wallet has no orders', async () => (await openOrders(ann)).length === 0);
    });

    it.each([4, 3_601, -1])('takes no timeout of %d', async (timeoutSeconds) => {
      expect((await heartbeat(walletOf('switch x'), timeoutSeconds)).status).toBe(400);
    });
  });
}
