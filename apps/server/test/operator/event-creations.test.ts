// The outcomes of an event beyond the first transaction are listed later, however slow the chain is.
import type { MarketView } from '@presage/engine';
import { waitFor } from '@presage/testkit';
import { expect, it } from 'vitest';
import { EventCreations } from '../../src/operator/event-creations.ts';
import type { MarketCreator } from '../../src/operator/market-creator.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { acted, createdEvent, EVENT_CONTRACT } from './acted.ts';

const EVENT = `0x${'ee'.repeat(32)}` as const;
const outcomes = Array.from({ length: 45 }, (_, index) => `Outcome ${index}`);
const RECORDED = createdEvent(EVENT, outcomes);

interface ChainStandIn {
  readonly idOf: (question: string) => `0x${string}`;
  /** How many outcomes of an event are listed. */
  readonly listedOf: (eventId: string) => number;
}

/** Creations of events with two outcomes, and what was sent of them. */
function openCreations({ idOf, listedOf }: ChainStandIn) {
  const state = new OperatorState();
  const sent: string[] = [];
  const creator = {
    prepareEvent: async ({ question }: { question: string }) => {
      return { eventId: idOf(question), contractAddress: EVENT_CONTRACT };
    },
    createEvent: async (eventId: string) => void sent.push(eventId),
    listOutcomes: () => expect.unreachable(),
  };
  const { action } = createdEvent(EVENT, ['a', 'b']);
  if (action.kind !== 'create-event') return expect.unreachable();
  const { kind: _, eventId: __, contractAddress: ___, ...planned } = action;
  const events = new EventCreations({
    state,
    act: async (_asked, ...actions) => {
      for (const each of actions) state.follow(acted(each));
    },
    markets: {
      plan: ({ question }) => ({ ...planned, texts: { ...planned.texts, question: question ?? '' } }),
    },
    creatorOf: () => creator as unknown as MarketCreator,
    reads: {
      marketsNamed: (eventId: string) => Array.from({ length: listedOf(eventId) }, () => ({}) as MarketView),
    },
    nowSeconds: () => 100,
  });
  const create = (question: string, key?: string) =>
    events.create({ actor: 'op_1', reason: '' }, { question, outcomes: ['a', 'b'], key } as never);
  return { create, sent };
}

it('lets nobody wait for the outcomes of another event, and a request of the same key for its own alone', async () => {
  const counts = new Map<string, number>();
  const idOf = (question: string) => `0x${question.length.toString(16).padStart(64, '0')}` as const;
  const { create, sent } = openCreations({ idOf, listedOf: (eventId) => counts.get(eventId) ?? 0 });
  const [slow, quick] = ['A slow one?', 'A quick one?'];
  const slowEvent = create(slow, 'slow');
  const sentAgain = create(slow, 'slow');
  const quickEvent = create(quick);
  await waitFor('both are sent', () => sent.includes(idOf(quick)), { timeoutMs: 2_000 });
  counts.set(idOf(quick), 2);
  expect(await quickEvent).toEqual({ eventId: idOf(quick), isListed: true, isNew: true });
  counts.set(idOf(slow), 2);
  expect(await slowEvent).toEqual({ eventId: idOf(slow), isListed: true, isNew: true });
  expect(await sentAgain).toEqual({ eventId: idOf(slow), isListed: true, isNew: false });
});

it('gives two requests with the same terms two events, though the chain does not know the first yet', async () => {
  let known = 0;
  const idAt = (earlier: number) => `0x${(earlier + 1).toString(16).padStart(64, '0')}` as const;
  // A node that knows nothing of pending transactions: the id depends on what is mined.
  const { create, sent } = openCreations({
    idOf: () => idAt(known),
    listedOf: (eventId) => (Number(eventId) <= known ? 2 : 0),
  });
  const created = ['one', 'two'].map((key) => create('The same?', key));
  for (const count of [1, 2]) {
    await waitFor('the next one is sent', () => sent.length === count, { timeoutMs: 2_000 });
    known = count;
  }
  expect(await Promise.all(created)).toEqual([0, 1].map((at) => ({ eventId: idAt(at), isListed: true, isNew: true })));
});

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
