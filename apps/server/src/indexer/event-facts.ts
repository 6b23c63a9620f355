// Decodes logs of the event factory into market facts: one market for each outcome that became tradable.
import { type EventTexts, readEventTexts, readMarketFees, type WatchedBlock } from '@presage/chain';
import { eventFactoryAbi } from '@presage/contracts';
import { type Hex, type MarketEvent, type MarketFacts, toLowerHex, toOutcomeQuestion } from '@presage/protocol';
import { parseEventLogs } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import { toCategory } from './chain-facts.ts';
import { selectLogs, selectorOf } from './viem-logs.ts';

const EVENT_CREATED = selectorOf(eventFactoryAbi, 'EventCreated');
const OUTCOME_LISTED = selectorOf(eventFactoryAbi, 'OutcomeListed');
export const EVENT_TOPICS: readonly Hex[] = [EVENT_CREATED, OUTCOME_LISTED];

type Place = Pick<ChainContext, 'chain' | 'addresses' | 'rpc'>;

/** Markets of the outcomes listed in a block. If the event was created in an earlier block, its texts are read from its code. */
export async function readOutcomesListed(block: WatchedBlock, place: Place): Promise<MarketFacts[]> {
  const logs = selectLogs(block.logs, [OUTCOME_LISTED]);
  if (logs.length === 0) return [];
  const events = readEventsCreated(block);
  const fees = readMarketFees(block.logs, place.addresses.settlement);
  const listed: MarketFacts[] = [];
  for (const { args, transactionHash } of parseEventLogs({ abi: eventFactoryAbi, eventName: 'OutcomeListed', logs })) {
    const event = events.get(args.eventId) ?? (await readEventTexts(place.rpc, args.market));
    events.set(args.eventId, event);
    listed.push({
      marketId: args.marketId,
      kind: 'standard',
      contractAddress: toLowerHex(args.market),
      ...toFacts(event, Number(args.index)),
      ...fees.get(args.marketId),
      yesTokenId: args.yesTokenId.toString(),
      noTokenId: args.noTokenId.toString(),
      ...toPlaceFacts(block, place),
      transactionHash: toLowerHex(transactionHash),
      event: toMarketEvent(event, args.eventId, Number(args.index)),
    });
  }
  return listed;
}

function readEventsCreated(block: WatchedBlock): Map<Hex, EventTexts> {
  const logs = selectLogs(block.logs, [EVENT_CREATED]);
  const created = parseEventLogs({ abi: eventFactoryAbi, eventName: 'EventCreated', logs });
  return new Map(
    created.map(({ args: { eventId, market, maker, terms } }) => {
      const { question, description, category, names, expiration, early } = terms;
      const texts = { question, description, category, names, expiration, early };
      return [eventId, { contractAddress: market, maker, ...texts }];
    }),
  );
}

function toFacts(event: EventTexts, index: number) {
  const { question, description, category, maker, expiration, early } = event;
  return {
    question: toOutcomeQuestion(question, event.names[index] ?? ''),
    description,
    category: toCategory(category),
    maker: toLowerHex(maker),
    expiration: Number(expiration),
    ...(early && { earlyResolution: true as const }),
  };
}

function toPlaceFacts({ timestamp, blockNumber }: WatchedBlock, { chain: { chainId }, addresses }: Place) {
  const { settlement: settlementAddress, conditionalTokens, stablecoin } = addresses;
  return { chainId, createdAt: timestamp, settlementAddress, conditionalTokens, stablecoin, blockNumber };
}

function toMarketEvent({ question, contractAddress, names }: EventTexts, id: Hex, index: number): MarketEvent {
  return {
    id,
    question,
    contractAddress: toLowerHex(contractAddress),
    count: names.length,
    index,
    // The factory lists no outcome beyond the names.
    name: names[index] ?? '',
  };
}
