// The engine keeps the market resolution reported by the chain: the newest report wins, and closes an open market.
import { Engine } from '@presage/engine';
import type { MarketResolution } from '@presage/protocol';
import { TEST_MARKET } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange, refusalIn } from './exchange.ts';

const hash = (byte: string) => `0x${byte.repeat(32)}` as const;
const wallet = (byte: string) => `0x${byte.repeat(20)}` as const;
const point = { transactionHash: hash('aa'), blockNumber: 7, blockHash: hash('bb') };

const PROPOSED: MarketResolution = {
  status: 'proposed',
  round: 1,
  assertion: {
    id: hash('01'),
    proposer: wallet('0a'),
    bondPayer: wallet('0b'),
    proposedOutcome: 1,
    bondAmount: '100000000',
    assertionTime: 1_900_000_200,
    expirationTime: 1_900_007_400,
    disputed: false,
    settled: false,
    settlementResolution: false,
    proposedAt: point,
  },
  history: [],
};

const change = (resolution: MarketResolution) =>
  ({ type: 'change-resolution', marketId: TEST_MARKET, resolution }) as const;

describe('the resolution of a market', () => {
  it('is kept as reported, in its own step, and the same report again is no step', () => {
    const exchange = new Exchange({ expiration: 1_900_000_100 });
    exchange.clock.advanceMs(200_000);
    exchange.tick();
    expect(exchange.send(change(PROPOSED))).toMatchObject([{ type: 'resolution-changed', step: 3 }]);
    expect(exchange.send(change({ ...PROPOSED, history: [...PROPOSED.history] }))).toEqual([]);
    expect(exchange.engine.market(TEST_MARKET)).toMatchObject({ status: 'closed', step: 3, resolution: PROPOSED });
  });

  it('suspends a market that allows early results, and a rejection lets it go on', () => {
    const exchange = new Exchange({ earlyResolution: true });
    const { traders } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    expect(exchange.send(change(PROPOSED))).toMatchObject([{ type: 'resolution-changed' }]);
    expect(refusalIn(exchange.send(traders.bobSellsYes({ price: '0.4', size: '1' })))).toBe('market_closed');
    expect(exchange.engine.market(TEST_MARKET)).toMatchObject({ status: 'open', resolution: { status: 'proposed' } });
    exchange.send(change({ status: 'expired', round: 1, history: [] }));
    const sold = exchange.send(traders.bobSellsYes({ price: '0.4', size: '1' }));
    expect(sold).toContainEqual(expect.objectContaining({ type: 'trade-matched' }));
  });

  it('closes a market that allows early results once it is decided', () => {
    const exchange = new Exchange({ earlyResolution: true });
    const payouts = [1_000_000, 0] as const;
    const decided = change({ status: 'resolved', round: 1, history: [], payouts, winningOutcome: 0 });
    expect(exchange.send(decided)).toMatchObject([{ type: 'market-closed' }, { type: 'resolution-changed' }]);
  });

  it('may be rolled back by a reorg', () => {
    const exchange = new Exchange({ expiration: 1_900_000_100 });
    const nothing: MarketResolution = { status: 'expired', round: 0, history: [] };
    exchange.send(change(PROPOSED));
    exchange.send(change(nothing));
    expect(exchange.engine.market(TEST_MARKET)?.resolution).toEqual(nothing);
    expect(exchange.send(change(PROPOSED))).toHaveLength(1);
  });

  it('closes a market that is still open, in the same step', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    expect(exchange.show(change(PROPOSED))).toMatchInlineSnapshot(`
      "
        -----------------
        bid 0.4           1   alice 1

        market closed: expired
        alice's bid at 0.4 cancelled, 1 left: market_closed
        resolution: proposed

        -----------------
      "
    `);
    expect(refusalIn(exchange.send(traders.bobSellsYes({ price: '0.4', size: '1' })))).toBe('market_closed');
  });

  it('is refused for an unknown market', () => {
    expect(refusalIn(new Exchange().send({ ...change(PROPOSED), marketId: hash('02') }))).toBe('market_not_found');
  });

  it('survives a checkpoint, whatever the order of its keys', () => {
    const [one, other] = [new Exchange(), new Exchange()];
    one.send(change(PROPOSED));
    const { status, round, assertion, history } = PROPOSED;
    other.send(change({ history, assertion: assertion!, round, status }));
    expect(other.engine.stateHash()).toBe(one.engine.stateHash());
    const restored = Engine.restore(one.engine.checkpointLines());
    expect(restored.stateHash()).toBe(one.engine.stateHash());
    expect(restored.market(TEST_MARKET)?.resolution).toEqual(PROPOSED);
  });
});
