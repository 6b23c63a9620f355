// Events of a template: conditions of several outcomes, some of which end during a life.
import { type ContractCall, type Contracts, toEventCreation } from '@presage/chain';
import {
  type Bytes32,
  type FeeRates,
  type Hex,
  type MarketFacts,
  type MarketId,
  toOutcomeMarketId,
} from '@presage/protocol';
import { MarketCreator } from '../../apps/server/src/operator/market-creator.ts';
import type { SimChain } from './sim-chain.ts';

export interface TemplateEvent {
  readonly id: Bytes32;
  readonly marketIds: readonly MarketId[];
}

/** The events of these markets, in the order of their first ones. */
export function eventsOf(markets: Iterable<MarketFacts>): TemplateEvent[] {
  const events = new Map<Bytes32, TemplateEvent>();
  for (const { event } of markets) {
    if (event === undefined) continue;
    const marketIds = Array.from({ length: event.count }, (_, index) =>
      toOutcomeMarketId(event.id, index, event.count),
    );
    events.set(event.id, { id: event.id, marketIds });
  }
  return [...events.values()];
}

/** The call that creates an event during a life; the service lists it when it is final. */
export function toCreationCall(contracts: Contracts, startMs: number): ContractCall {
  const texts = { question: 'Who comes later?', description: 'Of the simulation.', category: 'general' };
  const terms = { ...texts, outcomes: ['Low', 'Middle', 'High'], expiration: startMs / 1_000 + LATER_SECONDS };
  if (contracts.events === undefined) throw new Error('the template has no contracts of events');
  return contracts.events.factory.call('createEvent', toEventCreation(terms));
}

interface EventToMake {
  readonly names: readonly string[];
  readonly minutes: number;
  readonly rates: FeeRates;
}

/**
 * One that ends during a whole life, and one that outlives it. With at least four outcomes there are pairs that are
 * neither YES nor NO.
 */
const EVENTS: readonly EventToMake[] = [
  { names: ['Ann', 'Ben', 'Cid', 'Dan'], minutes: 0.5, rates: {} },
  { names: ['East', 'West', 'None of them'], minutes: 600, rates: { feeRateBps: 133, makerShareBps: 3_333 } },
];
export const CREATION_GAS = 8_000_000n;
const LATER_SECONDS = 30_000;

interface EventsToMake {
  readonly owner: Hex;
  readonly lifeShare: number;
  readonly startMs: number;
}

export async function makeEvents(
  chain: SimChain,
  contracts: Contracts,
  { owner, lifeShare, startMs }: EventsToMake,
): Promise<TemplateEvent[]> {
  const send = (_: string, call: ContractCall) => chain.sendAs(owner, call, CREATION_GAS);
  const creator = new MarketCreator({ contracts, creator: owner, send });
  const made: TemplateEvent[] = [];
  for (const { names, minutes, rates } of EVENTS) {
    const seconds = Math.round(minutes * 60 * (minutes < 1 ? lifeShare : 1));
    const texts = {
      question: `Who is first of ${names.length}?`,
      description: 'Of the simulation.',
      category: 'general',
    };
    const terms = { ...texts, outcomes: names, expiration: startMs / 1_000 + seconds, ...rates };
    const { eventId } = await creator.prepareEvent(terms);
    await creator.createEvent(eventId, terms);
    await chain.mine();
    const marketIds = names.map((_, index) => toOutcomeMarketId(eventId, index, names.length));
    made.push({ id: eventId, marketIds });
  }
  return made;
}
