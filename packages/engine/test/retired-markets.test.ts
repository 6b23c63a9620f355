// A market that is closed and decided, with nothing left to remember of it, is kept as bytes and stays the same market for everybody.
import { CONFIRMED_KEPT_MS, Engine } from '@presage/engine';
import type { EngineCommand, MarketResolution } from '@presage/protocol';
import { eventFacts, ModelEngine, marketFacts, SeededRandom } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange, refusalIn } from './exchange.ts';

const START_MS = 1_900_000_000_000;
const random = new SeededRandom(4);
const EVENT = eventFacts(['Ada', 'Bea', 'Cleo']);
const FACTS = Array.from({ length: 20 }, (_, index) =>
  marketFacts({
    marketId: random.hex(32),
    kind: index % 4 === 0 ? 'standard' : 'quick',
    contractAddress: random.hex(20),
    question: `Will it be at or above ${random.int(1, 90_000)} at 12:${index + 10}?`,
    expiration: START_MS / 1_000 + 60,
    createdAt: START_MS / 1_000 + index,
    yesTokenId: BigInt(random.hex(32)).toString(),
    noTokenId: BigInt(random.hex(32)).toString(),
    ...(index < EVENT.length && { event: EVENT[index]!.event! }),
  }),
);
const [FIRST] = FACTS;

function resolved(blockNumber: number): MarketResolution {
  const resolvedAt = { blockNumber, blockHash: random.hex(32), transactionHash: random.hex(32) };
  return { status: 'resolved', round: 0, history: [], payouts: [1_000_000, 0], winningOutcome: 0, resolvedAt };
}

/** All markets listed and closed, and all but every fifth resolved. */
const LIFE: readonly EngineCommand[] = [
  ...FACTS.map((market) => ({ type: 'list-market' as const, timeMs: START_MS, market })),
  { type: 'tick', timeMs: START_MS + 60_000 },
  ...FACTS.filter((_, index) => index % 5 !== 4).map(({ marketId }, index) => ({
    type: 'change-resolution' as const,
    timeMs: START_MS + 61_000,
    marketId,
    resolution: resolved(index),
  })),
];

function live(): { engine: Engine; model: ModelEngine } {
  const [engine, model] = [new Engine(), new ModelEngine()];
  for (const command of LIFE) {
    engine.apply(command);
    model.apply(command);
  }
  return { engine, model };
}

describe('a retired market', () => {
  it('is in the checkpoint as before', () => {
    const { engine, model } = live();
    expect([...engine.retiredMarkets()]).toHaveLength(16);
    expect([...engine.checkpointLines()]).toEqual([...model.checkpointLines()]);
  });

  it('is read as before, by its id, its contract, its tokens and its event', () => {
    const { engine } = live();
    expect(engine.activeMarkets()).toHaveLength(4);
    expect(engine.markets().map(({ facts }) => facts)).toEqual(FACTS);
    for (const facts of FACTS) {
      const view = engine.market(facts.marketId);
      expect(view).toMatchObject({ facts, status: 'closed', closeReason: 'expired', tradeCount: 0 });
      for (const name of [facts.contractAddress, facts.yesTokenId, facts.noTokenId]) {
        expect(engine.marketsNamed(name)).toEqual([view]);
      }
    }
    const ofEvent = engine.marketsNamed(FIRST!.event!.id).map(({ facts }) => facts);
    expect(new Set(ofEvent)).toEqual(new Set(FACTS.slice(0, EVENT.length)));
    expect(engine.marketsNamed('77')).toEqual([]);
  });

  it('is listed with the fields that filters need', () => {
    const { engine } = live();
    const fields = { chainId: 31337, kind: 'standard', category: 'general', createdAt: FIRST!.createdAt };
    const rest = { updatedMs: START_MS + 61_000, status: 'resolved', newestBlock: 0 };
    expect(engine.retiredMarkets().next().value).toEqual({ marketId: FIRST!.marketId, ...fields, ...rest });
  });

  it('refuses what a closed market refuses, and cannot be listed again', () => {
    const { engine } = live();
    const { traders } = new Exchange();
    const order = traders.aliceBuysYes({ price: '0.4', size: '1', marketId: FIRST!.marketId });
    const [timeMs, { marketId }] = [START_MS + 62_000, FIRST!];
    expect(refusalIn(engine.apply({ ...order, timeMs }))).toBe('market_closed');
    expect(refusalIn(engine.apply({ type: 'close-market', timeMs, marketId, reason: 'vanished' }))).toBe(
      'market_closed',
    );
    expect(refusalIn(engine.apply({ type: 'list-market', timeMs, market: FIRST! }))).toBe('market_already_listed');
    const move = { type: 'move-trade' as const, timeMs, marketId, tradeId: 'x-1', stage: 'submitted' as const };
    expect(refusalIn(engine.apply(move))).toBe('trade_not_found');
    expect([...engine.retiredMarkets()]).toHaveLength(16);
  });

  it('comes back when a reorganization takes its resolution away, and retires again', () => {
    const { engine, model } = live();
    const { marketId } = FIRST!;
    const changes: readonly MarketResolution[] = [{ status: 'expired', round: 0, history: [] }, resolved(99)];
    for (const [index, resolution] of changes.entries()) {
      const command = { type: 'change-resolution' as const, timeMs: START_MS + 70_000, marketId, resolution };
      expect(engine.apply(command)).toEqual(model.apply(command));
      expect(engine.market(marketId)).toMatchObject({ resolution, status: 'closed' });
      expect([...engine.retiredMarkets()]).toHaveLength(15 + index);
      expect(engine.stateHash()).toBe(model.stateHash());
    }
  });

  it('restores from lines, from memory and as a copy', () => {
    const { engine } = live();
    const taken = engine.takeCheckpoint();
    const texts = [...taken.texts()].filter((text) => text !== undefined);
    const restored = [
      Engine.restore([...engine.checkpointLines()]),
      Engine.restoreImage({ texts, memory: taken.memory() }, { placesSeed: 7 }),
      engine.copy(),
    ];
    taken.giveBack();
    for (const each of restored) {
      expect(each.stateHash()).toBe(engine.stateHash());
      expect(each.activeMarkets()).toHaveLength(4);
      expect(new Set(each.retiredMarkets())).toEqual(new Set(engine.retiredMarkets()));
      expect(each.marketsNamed(FIRST!.yesTokenId)).toEqual([engine.market(FIRST!.marketId)]);
      const eventId = FIRST!.event!.id;
      expect(new Set(each.marketsNamed(eventId))).toEqual(new Set(engine.marketsNamed(eventId)));
    }
  });

  it('waits for its last trade to be beyond recall', () => {
    const exchange = new Exchange({ expiration: START_MS / 1_000 + 60 });
    const { engine, traders, clock } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.5', size: '1' }), traders.bobSellsYes({ price: '0.5', size: '1' }));
    const [trade] = engine.unsettledTrades();
    const { marketId, tradeId } = trade!;
    for (const stage of ['submitted', 'mined', 'confirmed'] as const) {
      exchange.send({ type: 'move-trade', marketId, tradeId, stage });
    }
    clock.advanceMs(61_000);
    exchange.tick();
    exchange.send({ type: 'change-resolution', marketId, resolution: resolved(1) });
    expect([...engine.retiredMarkets()]).toEqual([]);
    clock.advanceMs(CONFIRMED_KEPT_MS);
    exchange.send({ type: 'list-market', market: FIRST! });
    expect([...engine.retiredMarkets()].map((market) => market.marketId)).toEqual([marketId]);
    expect(engine.size()).toMatchObject({ markets: 2, rememberedTrades: 0, accounts: 0 });
  });
});
