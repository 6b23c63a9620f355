// Decodes logs of the conditional tokens into share movements; by hand, since a settled batch has hundreds of them.
import type { WatchedLog } from '@presage/chain';
import { conditionalTokensWithPermitAbi } from '@presage/contracts';
import type { Address, Hex } from '@presage/protocol';
import { decodeAbiParameters } from 'viem';
import { selectorOf } from './viem-logs.ts';

export type ShareLog = NonNullable<ReturnType<typeof readShareLog>>;

const SINGLE = selectorOf(conditionalTokensWithPermitAbi, 'TransferSingle');
const BATCH = selectorOf(conditionalTokensWithPermitAbi, 'TransferBatch');
const SPLIT = selectorOf(conditionalTokensWithPermitAbi, 'PositionSplit');
const MERGE = selectorOf(conditionalTokensWithPermitAbi, 'PositionsMerge');
const REDEMPTION = selectorOf(conditionalTokensWithPermitAbi, 'PayoutRedemption');
const CONVERSION = selectorOf(conditionalTokensWithPermitAbi, 'PositionsConverted');

export const SHARE_TOPICS: readonly Hex[] = [SINGLE, BATCH, SPLIT, MERGE, REDEMPTION, CONVERSION];

/** Undefined for logs of the settlement contract's own moves, and for logs that are not about shares. */
export function readShareLog(log: WatchedLog, settlement: Address) {
  const { topics, data, logIndex } = log;
  const [topic, actor, second, third] = topics;
  // The first indexed field is always the actor. There are three, but two in a conversion.
  if (actor === undefined || second === undefined) return undefined;
  const wallet = toAddress(actor);
  if (wallet === settlement) return undefined;
  if (topic === CONVERSION) {
    const [indexes, amount, freed] = [0, 1, 2].map((index) => BigInt(wordAt(data, index))) as [bigint, bigint, bigint];
    return { type: 'conversion' as const, logIndex, wallet, conditionId: second, indexes, amount, freed };
  }
  if (third === undefined) return undefined;
  switch (topic) {
    case SINGLE:
    case BATCH: {
      const moves = topic === SINGLE ? [readSingle(data)] : readBatch(data);
      // A move from or to the zero address is a mint or burn.
      return { type: 'transfer' as const, logIndex, from: toAddress(second), to: toAddress(third), moves };
    }
    case SPLIT:
    case MERGE: {
      // Data: the collateral, the offset of the partition, the amount.
      const type = topic === SPLIT ? ('split' as const) : ('merge' as const);
      const [collateral, amount] = [toAddress(wordAt(data, 0)), BigInt(wordAt(data, 2))];
      const parts = wordsFrom(data, 3);
      return { type, logIndex, wallet, conditionId: third, parent: second, collateral, parts, amount };
    }
    case REDEMPTION: {
      // Data: the condition, the offset of the index sets, the payout.
      const [conditionId, payout] = [wordAt(data, 0), BigInt(wordAt(data, 2))];
      const [collateral, parts] = [toAddress(second), wordsFrom(data, 3)];
      return { type: 'redemption' as const, logIndex, wallet, conditionId, parent: third, collateral, parts, payout };
    }
    default:
      return undefined;
  }
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

/** The index sets of a log: their number, then each of them. */
function wordsFrom(data: Hex, start: number): bigint[] {
  const count = Number(wordAt(data, start));
  return Array.from({ length: count }, (_, index) => BigInt(wordAt(data, start + 1 + index)));
}

function toAddress(topic: Hex): Address {
  return `0x${topic.slice(26).toLowerCase()}` as const;
}
