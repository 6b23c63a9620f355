// A batch tells of each of its orders, whatever becomes of another one.
import { type OrderHash, PresageError } from '@presage/protocol';
import { expect, it } from 'vitest';
import type { HttpReply } from '../../src/api/http/reply.ts';
import type { HttpRequest } from '../../src/api/http/request.ts';
import type { OrderService } from '../../src/api/order-service.ts';
import { orderBulkEndpoints } from '../../src/api/routes/order-bulk.ts';
import type { PlacedOrder } from '../../src/host/host-commands.ts';

const [PLACED, REPEATED] = ['01', '02'].map((byte) => `0x${byte.repeat(32)}` as OrderHash);

function placed(orderHash: OrderHash, replayed: boolean): PlacedOrder {
  return { answer: { orderHash, matches: [], remainingSize: 1, filledSize: 0 } as never, replayed };
}

it('says that an order was placed although the receipt of a repeated one cannot be had', async () => {
  const orders = {
    submitAll: async () => [
      { status: 'fulfilled', value: placed(PLACED!, false) },
      { status: 'fulfilled', value: placed(REPEATED!, true) },
    ],
    receiptOf: () => Promise.reject(new PresageError('view_behind')),
  } as unknown as OrderService;
  const submit = orderBulkEndpoints({ orders }).find(({ id }) => id === 'submitOrders')!;
  const request = { id: 'request-1', body: { orders: [{}, {}] }, params: {}, query: {} } as unknown as HttpRequest;
  const answer = (await submit.handler(request, {} as HttpReply)) as { readonly results: readonly object[] };
  expect(answer.results).toMatchObject([PLACED, REPEATED].map((orderHash) => ({ orderHash, status: 'accepted' })));
  expect(answer.results.some((result) => 'receipt' in result)).toBe(false);
});
