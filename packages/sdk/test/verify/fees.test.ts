// Ten thousand random fills of markets that charge takers: engine, model, verifier and plain fractions agree on each fee.
import { Engine } from '@presage/engine';
import {
  type Address,
  BUY,
  DEFAULT_TERMS,
  type EngineEvent,
  type FeeRates,
  isJournalled,
  type MarketId,
  type PlaceOrder,
  SELL,
  type Side,
  type TradeMatched,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import {
  listMarket,
  ManualClock,
  ModelEngine,
  naiveFees,
  placeOrder,
  SeededRandom,
  seedFromEnv,
} from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { quoteBook } from '../../src/reads/quote.ts';
import { Replay, type Step } from '../../src/verify/checks/replay.ts';

const SEED = seedFromEnv(35);
const FILLS = 10_000;
const MARKETS: readonly FeeRates[] = [
  {},
  { feeRateBps: 1 },
  { feeRateBps: 700, makerShareBps: 10_000 },
  { feeRateBps: 133, makerShareBps: 3_333 },
  { feeRateBps: 200, makerShareBps: 1 },
];

class FeeWorld {
  readonly random = new SeededRandom(SEED);
  readonly clock = new ManualClock();
  readonly engine = new Engine();
  readonly model = new ModelEngine();
  readonly replay = new Replay();
  readonly marketIds: MarketId[] = MARKETS.map(() => this.random.hex(32));
  readonly wallets: Address[] = Array.from({ length: 6 }, () => this.random.hex(20));
  #nonce = 0n;

  constructor() {
    for (const [index, rates] of MARKETS.entries()) {
      this.apply(listMarket(this.clock.nowMs, { marketId: this.marketIds[index]!, ...rates }));
    }
  }

  apply(command: Parameters<Engine['apply']>[0]): EngineEvent[] {
    const firstSeq = this.engine.lastSeq + 1;
    const outputs = this.engine.apply(command);
    expect(this.model.apply(command)).toEqual(outputs);
    const events = outputs.filter(isJournalled);
    if (events.length !== outputs.length) throw new Error(`refused: ${JSON.stringify(outputs)}`);
    this.replay.apply(events as unknown as Step, firstSeq);
    return events;
  }

  order(marketId: MarketId, side: Side, price: number, size: number): PlaceOrder {
    const order = {
      marketId,
      trader: this.random.pick(this.wallets),
      side,
      outcome: 0 as const,
      price: toPrice(price),
      size: toSize(size),
      nonce: ++this.#nonce,
      expiration: BigInt(this.clock.nowSeconds + 100_000),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    return placeOrder(order, { ...DEFAULT_TERMS, timeInForce: 'GTC', timeMs: this.clock.nowMs });
  }

  /** Between dust and the largest sizes. */
  size(): number {
    return this.random.int(1, 2 ** this.random.int(1, 44));
  }
}

describe('fees', () => {
  it(`are what the rates say over ${FILLS} random fills, and what was quoted, seed ${SEED}`, () => {
    const world = new FeeWorld();
    const { random, engine } = world;
    let [fills, charged, given] = [0, 0, 0];
    while (fills < FILLS) {
      const index = random.int(0, MARKETS.length - 1);
      const [marketId, rates] = [world.marketIds[index]!, MARKETS[index]!];
      const side: Side = random.pick([BUY, SELL] as const);
      const prices = new Set(Array.from({ length: random.int(1, 12) }, () => random.int(1, 999_999)));
      for (const price of prices) world.apply(world.order(marketId, side === BUY ? SELL : BUY, price, world.size()));
      const book = { bids: engine.levels(marketId, 0, BUY), asks: engine.levels(marketId, 0, SELL) };
      const total = (side === BUY ? book.asks : book.bids).reduce((sum, level) => sum + Number(level.size), 0);
      const limit = side === BUY ? 999_999 : 1;
      const quote = quoteBook(book, rates.feeRateBps ?? 0, { side, size: toSize(total) });
      const taken = world.apply(world.order(marketId, side, limit, total));
      const trades = taken.filter((event): event is TradeMatched => event.type === 'trade-matched');
      for (const trade of trades) {
        const { fee, makerRebate } = trade;
        expect({ ...(fee && { fee }), ...(makerRebate && { makerRebate }) }).toEqual(
          naiveFees(rates, trade.size, trade.price),
        );
        if (fee !== undefined) charged++;
        if (makerRebate !== undefined) given++;
      }
      expect(Number(quote.fee)).toBe(trades.reduce((sum, { fee = 0 }) => sum + fee, 0));
      expect(quote.filledSize).toBe(BigInt(total));
      expect(quote.worstPrice).toBe(trades.at(-1)!.price);
      fills += trades.length;
    }
    expect(charged).toBeGreaterThan(FILLS / 2);
    expect(given).toBeGreaterThan(FILLS / 4);
  });
});
