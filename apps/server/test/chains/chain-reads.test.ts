// The modules of one chain see its own markets, orders and trades, and nothing of another chain's.
import { Engine } from '@presage/engine';
import { createOrderBuilders, listMarket } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';

const HERE = `0x${'aa'.repeat(32)}` as const;
const THERE = `0x${'bb'.repeat(32)}` as const;
const PLACES = [
  { marketId: HERE, chainId: 31337 },
  { marketId: THERE, chainId: 31338 },
];

function play(): Engine {
  const { aliceBuysYes, bobSellsYes } = createOrderBuilders();
  const engine = new Engine();
  for (const place of PLACES) engine.apply(listMarket(0, place));
  for (const { marketId } of PLACES) {
    engine.apply(bobSellsYes({ marketId, price: '0.5', size: '2' }));
    engine.apply(aliceBuysYes({ marketId, price: '0.5', size: '1' }));
  }
  return engine;
}

describe.each(PLACES)('of chain $chainId', ({ marketId, chainId }) => {
  const engine = play();
  const reads = new ChainReads(engine, chainId);
  const other = marketId === HERE ? THERE : HERE;

  it('markets, open orders and unsettled trades are its own', () => {
    expect(engine.unsettledTrades()).toHaveLength(2);
    expect(reads.activeMarkets().map(({ facts }) => facts.marketId)).toEqual([marketId]);
    expect(reads.openOrders().map(({ signed }) => signed.order.marketId)).toEqual([marketId]);
    expect(reads.unsettledTrades().map((trade) => trade.marketId)).toEqual([marketId]);
  });

  it('a market, an order or a trade of the other is as good as unknown', () => {
    const [foreign] = engine.unsettledTrades({ marketId: other });
    expect(reads.market(other)).toBeUndefined();
    expect(reads.trade(other, foreign!.tradeId)).toBeUndefined();
    expect(reads.order(foreign!.makerHash)).toBeUndefined();
    expect(reads.openOrders({ marketId: other })).toEqual([]);
    const [own] = engine.unsettledTrades({ marketId });
    expect(reads.order(own!.makerHash)).toEqual(engine.order(own!.makerHash));
    expect(reads.trade(marketId, own!.tradeId)).toEqual(own);
  });
});
