// The outcomes of an event beyond the first transaction are listed later, however slow the chain is.
import type { MarketView } from '@presage/engine';
import { expect, it } from 'vitest';
import { EventCreations } from '../../src/operator/event-creations.ts';
import type { MarketCreator } from '../../src/operator/market-creator.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { createdEvent, EVENT_CONTRACT } from './acted.ts';

const EVENT = `0x${'ee'.repeat(32)}` as const;
const outcomes = Array.from({ length: 45 }, (_, index) => `Outcome ${index}`);
const RECORDED = createdEvent(EVENT, outcomes);

it('sends one part after another, each once, until all outcomes are listed', async () => {
  const state = new OperatorState();
  state.follow(RECORDED);
  const sent = new Set<string>();
  let listed = 0;
  const creator = {
    prepareEvent: async () => ({ eventId: EVENT, contractAddress: EVENT_CONTRACT }),
    createEvent: async () => void sent.add('created'),
    listOutcomes: async (_event: object, from: number) => void sent.add(`from ${from}`),
  };
  const events = new EventCreations({
    state,
    act: async () => undefined,
    markets: { plan: () => expect.unreachable() },
    // Nothing else of a creator is asked for.
    creatorOf: () => creator as unknown as MarketCreator,
    reads: { marketsNamed: () => Array.from({ length: listed }, () => ({}) as MarketView) },
    nowSeconds: () => 100,
  });
  const finishAll = async () => {
    for (const { finish } of events.unfinished()) await finish();
  };
  for (const seen of [0, 0, 20, 20, 40, 45, 45]) {
    listed = seen;
    await finishAll();
  }
  expect([...sent]).toEqual(['created', 'from 20', 'from 40']);
  expect(events.unfinished()).toEqual([]);
});
