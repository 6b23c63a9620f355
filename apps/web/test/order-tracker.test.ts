// An order whose answer is lost: never called refused or failed before the service has said so, and never signed twice.
import { type PlacedOrder, PresageApiError, PresageConnectionError, type TradingClient } from '@presage/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PLAIN_NAMES } from '../src/lib/outcomes.ts';
import { OrderTracker } from '../src/state/order-tracker.ts';
import { Store } from '../src/state/store.ts';
import { type Toast, Toasts } from '../src/state/toasts.ts';
import type { Account } from '../src/wallet/account.ts';

vi.mock('../src/state/kept-receipts.ts', () => ({ keepReceipt: () => undefined }));

const SIGNED = { order: { marketId: '0x', nonce: 7n, expiration: 300n }, signature: '0x' };
const RESTS = { trades: [], orderStatus: 'open', matches: 0, orderHash: '0x' } as unknown as PlacedOrder;
const lost = new PresageConnectionError('no answer', 'cut');
const refused = (status: number, code: string) => new PresageApiError(status, { error: code, code });

beforeEach(() => {
  listed = [];
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { setItem: () => undefined, removeItem: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What the service lists of the wallet. */
let listed: object[] = [];

/** Places an order whose attempts end as given: errors, and then an answer. */
async function place(...attempts: (Error | PlacedOrder)[]) {
  const signatures: object[] = [];
  const sent: object[] = [];
  const looks: string[] = [];
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
    listOrders: async () => {
      looks.push('list');
      if (looks.length === 1) throw lost;
      return { orders: listed };
    },
  } as unknown as TradingClient;
  const state = new Store({ wallet: { client } });
  const account = { state, touch: () => undefined, listen: () => () => undefined } as unknown as Account;
  const toasts = new Toasts();
  const shown: Toast[] = [];
  toasts.listen((toast) => void shown.push(toast));
  const tracker = new OrderTracker(account, toasts);
  const placing = tracker.place({ marketId: '0x', side: 'buy', price: '0.5', size: '1' }, 'Buy', {
    names: PLAIN_NAMES,
    chainId: 2,
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const [order] = tracker.orders.get();
  const isFree = tracker.placing.get() === undefined;
  return { isPlaced: await placing, isFree, signatures, sent, order, ending: order?.ending, shown };
}

/** An accepted order with one trade, whose settlement is asked about with the given ends. */
function matched(...looks: (Error | 'settled' | 'failed')[]): PlacedOrder {
  const trade = { id: 1, price: 500_000, size: 1_000_000, txHash: '0x12', reason: 'No money', faultParty: 'seller' };
  const refreshes: Error[] = [lost, lost];
  return {
    ...RESTS,
    order: { side: 0, outcome: 0 },
    filledSize: 1_000_000,
    trades: [trade],
    waitForSettlement: async () => {
      const next = looks.shift();
      if (next instanceof Error) throw next;
      return next === 'settled' ? { settled: [trade], failed: [] } : { settled: [], failed: [trade] };
    },
    refresh: async () => {
      const error = refreshes.shift();
      if (error !== undefined) throw error;
      return { status: 'open' };
    },
  } as unknown as PlacedOrder;
}

describe('an accepted order', () => {
  it('is followed to its settlement through an outage of the service', async () => {
    const { isPlaced, order } = await place(matched(lost, lost, refused(425, 'recovering'), 'settled'));
    expect([isPlaced, order?.stage, order?.ending]).toEqual([true, 'settled', undefined]);
  });

  it('fails with its reason, though the service did not answer at first', async () => {
    const { order } = await place(matched('failed', 'failed', 'failed'));
    expect(order?.ending).toEqual({
      kind: 'failed',
      text: 'No money (fault of the seller). No money moved for it; the unsettled part rests on the book again.',
    });
  });
});

describe('a settled order', () => {
  it('names the chain of its market, whose explorer has the transaction', async () => {
    const { order, shown } = await place(matched('settled'));
    expect([order, shown.at(-1)]).toMatchObject([
      { txHash: '0x12', chainId: 2 },
      { txHash: '0x12', chainId: 2 },
    ]);
  });
});

describe('a full browser', () => {
  it('does not keep an order from being placed', async () => {
    const setItem = () => {
      throw new Error('full');
    };
    vi.stubGlobal('sessionStorage', { setItem, removeItem: () => undefined });
    const { isPlaced, isFree } = await place(RESTS);
    expect([isPlaced, isFree]).toEqual([true, true]);
  });
});

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

  it.each(['market_closed', 'expiration_too_soon'])('is looked for where %s is all that it hears', async (code) => {
    const other = { nonce: 6, expiration: 300 };
    listed = [other, { nonce: 7, expiration: 300, status: 'filled', filledSize: 2_000_000, size: 2_000_000 }];
    const { isPlaced, ending } = await place(lost, refused(409, code));
    expect([isPlaced, ending]).toEqual([
      true,
      { kind: 'over', text: 'Placed, although the answer was lost. 2 of 2 shares traded: see your portfolio.' },
    ]);
    listed = [other];
    expect(await place(lost, refused(409, code))).toMatchObject({ isPlaced: false, ending: { kind: 'failed' } });
  });
});
