// Orders and trades that are asked for by a filter: the same that a look at all of them finds.
import type { Engine, OrderView, TradeView } from '@presage/engine';
import { TEST_MARKET, TRADERS } from '@presage/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

const { alice, bob, carol } = TRADERS;
let engine: Engine;

/** Alice has three orders, one of them filled in part by Bob, who has one left; Carol has none. */
beforeEach(() => {
  const exchange = new Exchange();
  const { traders } = exchange;
  engine = exchange.engine;
  exchange.send(traders.aliceBuysYes({ price: '0.4', size: '10' }));
  exchange.send(traders.aliceBuysYes({ price: '0.5', size: '10' }));
  exchange.send(traders.aliceBuysYes({ price: '0.3', size: '10' }));
  exchange.send(traders.bobSellsYes({ price: '0.5', size: '4' }));
  exchange.send(traders.bobSellsYes({ price: '0.9', size: '4' }));
});

const hashes = (orders: readonly OrderView[]) => orders.map(({ signed }) => signed.orderHash);
const ids = (trades: readonly TradeView[]) => trades.map(({ tradeId }) => tradeId);

describe('open orders', () => {
  const all = () => engine.openOrders();
  const ofAlice = () => all().filter(({ signed }) => signed.order.trader === alice);

  it('are those of a trader', () => {
    expect(ofAlice()).toHaveLength(3);
    expect(engine.openOrders({ trader: alice })).toEqual(ofAlice());
    expect(engine.openOrders({ trader: carol })).toEqual([]);
  });

  it('are the newest up to a limit', () => {
    expect(engine.openOrders({ trader: alice, limit: 2 })).toEqual(ofAlice().slice(0, 2));
    expect(engine.openOrders({ limit: 10 })).toEqual(all());
    expect(engine.openOrders({ limit: undefined })).toEqual(all());
  });

  it('are those with fills, among which the limit counts', () => {
    const filled = all().filter(({ filledSize }) => filledSize > 0);
    expect(filled).toHaveLength(1);
    expect(engine.openOrders({ hasFills: true, limit: 1 })).toEqual(filled);
  });

  it('is the one that holds a nonce', () => {
    for (const order of ofAlice()) {
      const { nonce } = order.signed.order;
      expect(hashes(engine.openOrders({ trader: alice, marketId: TEST_MARKET, nonce }))).toEqual(hashes([order]));
    }
    expect(engine.openOrders({ trader: alice, nonce: 2n ** 64n - 1n })).toEqual([]);
  });

  it('are those of a chain', () => {
    const { chainId } = engine.facts(TEST_MARKET)!;
    expect(engine.openOrders({ chainId })).toEqual(all());
    expect(engine.openOrders({ chainId: chainId + 1 })).toEqual([]);
    expect(engine.openOrders({ marketId: TEST_MARKET, chainId: chainId + 1 })).toEqual([]);
  });
});

describe('unsettled trades', () => {
  it('are those of both parties, and of nobody else', () => {
    const all = ids(engine.unsettledTrades());
    expect(all).toHaveLength(1);
    expect(ids(engine.unsettledTrades({ trader: alice }))).toEqual(all);
    expect(ids(engine.unsettledTrades({ trader: bob }))).toEqual(all);
    expect(engine.unsettledTrades({ trader: carol })).toEqual([]);
    expect(engine.unsettledTrades({ chainId: 1 + engine.facts(TEST_MARKET)!.chainId })).toEqual([]);
  });

  it('are told in brief as in full', () => {
    const [{ timeMs, stage }] = engine.unsettledTrades() as [TradeView];
    expect(engine.unsettledBriefs()).toEqual([{ timeMs, stage }]);
  });
});
