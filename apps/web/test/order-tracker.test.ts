// An order whose answer is lost: never called refused before the service has said so, and never signed twice.
import { type PlacedOrder, PresageApiError, PresageConnectionError, type TradingClient } from '@presage/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PLAIN_NAMES } from '../src/lib/outcomes.ts';
import { OrderTracker } from '../src/state/order-tracker.ts';
import { Store } from '../src/state/store.ts';
import { Toasts } from '../src/state/toasts.ts';
import type { Account } from '../src/wallet/account.ts';

vi.mock('../src/state/kept-receipts.ts', () => ({ keepReceipt: () => undefined }));

const SIGNED = { order: {}, signature: '0x' };
const RESTS = { trades: [], orderStatus: 'open', matches: 0, orderHash: '0x' } as unknown as PlacedOrder;
const lost = new PresageConnectionError('no answer', 'cut');
const refused = (status: number, code: string) => new PresageApiError(status, { error: code, code });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { setItem: () => undefined, removeItem: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Places an order whose attempts end as given: errors, and then an answer. */
async function place(...attempts: (Error | PlacedOrder)[]) {
  const signatures: object[] = [];
  const sent: object[] = [];
  const answer = () => {
    const next = attempts.shift() ?? RESTS;
    if (next instanceof Error) throw next;
    return next;
  };
  const client = {
    placeOrder: async (_params: object, { onSigned }: { onSigned: (order: object) => void }) => {
      signatures.push(SIGNED);
      onSigned(SIGNED);
      return answer();
    },
    sendSignedOrder: async (order: object) => {
      sent.push(order);
      return answer();
    },
  } as unknown as TradingClient;
  const state = new Store({ wallet: { client } });
  const account = { state, touch: () => undefined, listen: () => () => undefined } as unknown as Account;
  const tracker = new OrderTracker(account, new Toasts());
  const placing = tracker.place({ marketId: '0x', side: 'buy', price: '0.5', size: '1' }, 'Buy', PLAIN_NAMES);
  await vi.advanceTimersByTimeAsync(60_000);
  return { isPlaced: await placing, signatures, sent, ending: tracker.orders.get()[0]?.ending };
}

describe('an order without an answer', () => {
  it.each([
    ['nobody', lost],
    ['a service that is recovering', refused(425, 'recovering')],
    ['a proxy without a service', refused(502, 'unexpected_answer')],
    ['a service that lost its disk', refused(503, 'journal_unavailable')],
    ['a service with a fault', refused(500, 'internal')],
  ])('is sent again as it was signed where the answer is that of %s', async (_who, error) => {
    const { isPlaced, signatures, sent, ending } = await place(error, error, refused(425, 'recovering'), RESTS);
    expect([isPlaced, signatures.length, ending?.kind]).toEqual([true, 1, 'resting']);
    expect(sent).toEqual([SIGNED, SIGNED, SIGNED]);
  });

  it('is refused once the service has said so', async () => {
    const { isPlaced, sent, ending } = await place(lost, refused(503, 'exchange_halted'));
    expect([isPlaced, sent.length, ending?.kind]).toEqual([false, 1, 'failed']);
  });
});
