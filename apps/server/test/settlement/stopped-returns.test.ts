// A fill that fails while its market takes no orders: the order of the other party would match as it returns, so the failure waits.
import { fillCodes } from '@presage/contracts';
import { DEFAULT_TERMS } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { TradeChange, TradeFault } from '../../src/host/host-commands.ts';
import type { Settlement } from '../../src/settlement/settlement.ts';
import { StoppedReturns } from '../../src/settlement/stopped-returns.ts';
import { createContext } from '../chain-context.ts';
import { openSettlement, tradesOf } from './settlement-stand-in.ts';

const NOW = 1_000_000;
const PAUSED = { code: 'market_paused' } as const;

let settlement: Settlement | undefined;
afterEach(() => settlement?.close());

describe('a failed fill in a paused market', () => {
  it('is written once the market takes orders again, and is neither sent nor written before', async () => {
    const trades = tradesOf(2);
    const failed: string[] = [];
    let isPaused = true;
    let lift = () => {};
    const asked: string[] = [];
    const stops = {
      checkMarket: (marketId: string) => {
        asked.push(marketId);
        return isPaused ? PAUSED : undefined;
      },
      onLifted: (listener: () => void) => {
        lift = listener;
        return () => undefined;
      },
    };
    const changeTrades = async (changes: readonly TradeChange[]) => {
      for (const { trade } of changes) {
        failed.push(trade.tradeId);
        trades.set(trade.tradeId, { ...trades.get(trade.tradeId)!, stage: 'failed' });
      }
    };
    const sender = {
      ready: async () => undefined,
      enqueue: () => Promise.reject(new Error('nothing is sent')),
      status: () => undefined,
      onChange: () => undefined,
    };
    settlement = openSettlement({ trades, sender, code: fillCodes.BUYER_CANCELLED, changeTrades, stops });
    settlement.start();
    await waitFor('the next attempt is planned', () => settlement?.trouble.reason?.includes('takes orders again'));
    expect([failed, settlement.queued]).toEqual([[], 2]);
    settlement.retry();
    const before = asked.length;
    await waitFor('it has looked again', () => asked.length > before);
    expect(failed).toEqual([]);
    isPaused = false;
    lift();
    await waitFor('nothing waits', () => settlement?.queued === 0);
    expect(failed).toEqual(['0', '1']);
  });
});

it('a failed fill is not written if its market is paused while the journal is asked', async () => {
  const failed: string[] = [];
  let isPaused = false;
  const stops = { checkMarket: () => (isPaused ? PAUSED : undefined), onLifted: () => () => undefined };
  const confirm = async () => {
    isPaused = true;
  };
  const changeTrades = async (changes: readonly TradeChange[]) =>
    void failed.push(...changes.map(({ trade }) => trade.tradeId));
  const sender = {
    ready: async () => undefined,
    enqueue: () => Promise.reject(new Error('nothing is sent')),
    status: () => undefined,
    onChange: () => undefined,
  };
  const code = fillCodes.BUYER_CANCELLED;
  settlement = openSettlement({ trades: tradesOf(2), sender, code, changeTrades, stops, confirm });
  settlement.start();
  await waitFor('the next attempt is planned', () => settlement?.trouble.reason?.includes('takes orders again'));
  expect([failed, settlement.queued]).toEqual([[], 2]);
});

describe('what may not fail in a stopped market', () => {
  const trade = { marketId: '0x4d', takerSide: 0, makerHash: 'sell', takerHash: 'buy' };
  const market = { status: 'open', facts: { expiration: NOW + 100 } };
  const order = {
    status: 'filled',
    signed: { terms: DEFAULT_TERMS, order: { expiration: BigInt(NOW + 50) } },
  };
  const BUYER: TradeFault = { faultParty: 'buyer', reason: 'no funds' };

  function mustWait(fault: TradeFault, known: { market?: object; orders?: Record<string, object>; isFree?: boolean }) {
    const { orders = { sell: order, buy: order }, isFree = false } = known;
    const reads = { market: () => known.market ?? market, order: (hash: string) => orders[hash] };
    const context = createContext({ reads, clock: { nowSeconds: () => NOW, nowMs: () => NOW * 1_000 } });
    const stops = { checkMarket: () => (isFree ? undefined : PAUSED), onLifted: () => () => undefined };
    return new StoppedReturns(context, stops).mustWait(trade as never, fault);
  }

  it.each([
    ['the order of the innocent party would return', true, BUYER, {}],
    ['the market takes orders', false, BUYER, { isFree: true }],
    ['nobody is to blame, and nothing returns', false, { faultParty: 'chain', reason: 'over' } as const, {}],
    [
      'an overfilled order ends, and the other returns',
      true,
      { ...BUYER, faultParty: 'chain', overfilled: 'seller' } as const,
      {},
    ],
    ['the market is closed', false, BUYER, { market: { ...market, status: 'closed' } }],
    ['the market has expired', false, BUYER, { market: { status: 'open', facts: { expiration: NOW } } }],
    ['the order that would return is cancelled', false, BUYER, { orders: { sell: { ...order, status: 'cancelled' } } }],
    ['only the order at fault is left', false, BUYER, { orders: { buy: order } }],
    [
      'the order has expired',
      false,
      BUYER,
      { orders: { sell: { ...order, signed: { ...order.signed, order: { expiration: BigInt(NOW) } } } } },
    ],
    [
      'the order does not rest',
      false,
      BUYER,
      { orders: { sell: { ...order, signed: { ...order.signed, terms: { ...DEFAULT_TERMS, timeInForce: 'IOC' } } } } },
    ],
  ])('%s: %s', (_, expected, fault, known) => {
    expect(mustWait(fault, known)).toBe(expected);
  });
});
