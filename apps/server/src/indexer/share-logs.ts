// Logs of the conditional tokens as share movements; decoded by hand, since a settled batch has hundreds of them.
import type { WatchedLog } from '@presage/chain';
import { conditionalTokensWithPermitAbi } from '@presage/contracts';
import type { Address, Hex, MarketId } from '@presage/protocol';
import { decodeAbiParameters } from 'viem';
import { selectorOf } from './viem-logs.ts';

interface Place {
  readonly logIndex: number;
}

/** From or to the zero address: minted or burned. */
interface TransferLog extends Place {
  readonly type: 'transfer';
  readonly from: Address;
  readonly to: Address;
  readonly moves: readonly { readonly tokenId: bigint; readonly amount: bigint }[];
}

interface ConversionLog extends Place {
  readonly type: 'split' | 'merge';
  readonly wallet: Address;
  readonly marketId: MarketId;
  readonly collateral: Address;
  readonly amount: bigint;
}

interface RedemptionLog extends Place {
  readonly type: 'redemption';
  readonly wallet: Address;
  readonly marketId: MarketId;
  readonly collateral: Address;
  readonly payout: bigint;
}

export type ShareLog = TransferLog | ConversionLog | RedemptionLog;

const SINGLE = selectorOf(conditionalTokensWithPermitAbi, 'TransferSingle');
const BATCH = selectorOf(conditionalTokensWithPermitAbi, 'TransferBatch');
const SPLIT = selectorOf(conditionalTokensWithPermitAbi, 'PositionSplit');
const MERGE = selectorOf(conditionalTokensWithPermitAbi, 'PositionsMerge');
const REDEMPTION = selectorOf(conditionalTokensWithPermitAbi, 'PayoutRedemption');

export const SHARE_TOPICS: readonly Hex[] = [SINGLE, BATCH, SPLIT, MERGE, REDEMPTION];

/** Undefined for what the settlement contract did, and for what is not about shares. */
export function readShareLog(log: WatchedLog, settlement: Address): ShareLog | undefined {
  const [topic, actor, second, third] = log.topics;
  // All of them name who acts first, and have three indexed fields.
  if (actor === undefined || second === undefined || third === undefined) return undefined;
  if (toAddress(actor) === settlement) return undefined;
  switch (topic) {
    case SINGLE:
    case BATCH: {
      const moves = topic === SINGLE ? [readSingle(log.data)] : readBatch(log.data);
      return { type: 'transfer', logIndex: log.logIndex, from: toAddress(second), to: toAddress(third), moves };
    }
    case SPLIT:
    case MERGE:
      return readConversion(log, topic === SPLIT ? 'split' : 'merge', { wallet: toAddress(actor), marketId: third });
    case REDEMPTION:
      return readRedemption(log, { wallet: toAddress(actor), collateral: toAddress(second) });
    default:
      return undefined;
  }
}

/** Not indexed: the collateral, where the partition begins, the amount. */
function readConversion(
  { logIndex, data }: WatchedLog,
  type: 'split' | 'merge',
  indexed: Pick<ConversionLog, 'wallet' | 'marketId'>,
): ConversionLog {
  return { type, logIndex, ...indexed, collateral: toAddress(wordAt(data, 0)), amount: BigInt(wordAt(data, 2)) };
}

/** Not indexed: the condition, where the index sets begin, the payout. */
function readRedemption(
  { logIndex, data }: WatchedLog,
  indexed: Pick<RedemptionLog, 'wallet' | 'collateral'>,
): RedemptionLog {
  return { type: 'redemption', logIndex, ...indexed, marketId: wordAt(data, 0), payout: BigInt(wordAt(data, 2)) };
}

function readSingle(data: Hex): { tokenId: bigint; amount: bigint } {
  return { tokenId: BigInt(wordAt(data, 0)), amount: BigInt(wordAt(data, 1)) };
}

function readBatch(data: Hex): { tokenId: bigint; amount: bigint }[] {
  const [ids, amounts] = decodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], data);
  return ids.map((tokenId, index) => ({ tokenId, amount: amounts[index] ?? 0n }));
}

function wordAt(data: Hex, index: number): Hex {
  return `0x${data.slice(2 + 64 * index, 66 + 64 * index).toLowerCase()}`;
}

function toAddress(topic: Hex): Address {
  return `0x${topic.slice(26).toLowerCase()}` as const;
}
