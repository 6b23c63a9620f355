// Decodes logs of our contracts into facts: created markets and orders cancelled on chain.
import { readMarketFees, type WatchedBlock, type WatchedLog } from '@presage/chain';
import { marketFactoryAbi, presageSettlementAbi } from '@presage/contracts';
import { CATEGORY_PATTERN, GENERAL_CATEGORY, type Hex, type MarketFacts, toLowerHex } from '@presage/protocol';
import { parseEventLogs } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import { selectLogs, selectorOf } from './viem-logs.ts';

export const MARKET_CREATED = selectorOf(marketFactoryAbi, 'MarketCreated');
export const EARLY_ALLOWED = selectorOf(marketFactoryAbi, 'EarlyResolutionAllowed');
export const CANCEL_REQUESTED = selectorOf(presageSettlementAbi, 'OrderCancelRequested');

type Place = Pick<ChainContext, 'chain' | 'addresses'>;

export function readMarketsCreated(block: WatchedBlock, { chain: { chainId }, addresses }: Place): MarketFacts[] {
  const logs = selectLogs(block.logs, [MARKET_CREATED]);
  if (logs.length === 0) return [];
  const early = readEarlyMarkets(block.logs);
  const fees = readMarketFees(block.logs, addresses.settlement);
  return parseEventLogs({ abi: marketFactoryAbi, eventName: 'MarketCreated', logs }).map(
    ({ args, transactionHash }) => ({
      marketId: args.marketId,
      chainId,
      kind: 'standard',
      contractAddress: toLowerHex(args.market),
      question: args.question,
      description: args.description,
      category: toCategory(args.category),
      maker: toLowerHex(args.maker),
      expiration: Number(args.expiration),
      ...(early.has(args.marketId) && { earlyResolution: true }),
      ...fees.get(args.marketId),
      createdAt: block.timestamp,
      settlementAddress: addresses.settlement,
      conditionalTokens: addresses.conditionalTokens,
      stablecoin: addresses.stablecoin,
      yesTokenId: args.yesTokenId.toString(),
      noTokenId: args.noTokenId.toString(),
      blockNumber: block.blockNumber,
      transactionHash: toLowerHex(transactionHash),
    }),
  );
}

/** The factory logs the permission right after it created the market. */
function readEarlyMarkets(all: readonly WatchedLog[]): Set<Hex> {
  const logs = selectLogs(all, [EARLY_ALLOWED]);
  const events = parseEventLogs({ abi: marketFactoryAbi, eventName: 'EarlyResolutionAllowed', logs });
  return new Set(events.map(({ args }) => args.marketId));
}

export function readCancelRequests(all: readonly WatchedLog[]) {
  const logs = selectLogs(all, [CANCEL_REQUESTED]);
  if (logs.length === 0) return [];
  const events = parseEventLogs({ abi: presageSettlementAbi, eventName: 'OrderCancelRequested', logs });
  return events.map(({ args }) => ({ trader: toLowerHex(args.trader), marketId: args.marketId, nonce: args.nonce }));
}

const CATEGORY = new RegExp(CATEGORY_PATTERN);

/** Maps unknown texts to the general category: creators may write any text on chain. */
export function toCategory(text: string): string {
  return CATEGORY.test(text) ? text : GENERAL_CATEGORY;
}
