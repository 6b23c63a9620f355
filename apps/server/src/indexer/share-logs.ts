// Logs of the conditional tokens as share movements; decoded by hand, since a settled batch has hundreds of them.
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

export const SHARE_TOPICS: readonly Hex[] = [SINGLE, BATCH, SPLIT, MERGE, REDEMPTION];

/** Undefined for what the settlement contract did, and for what is not about shares. */
export function readShareLog(log: WatchedLog, settlement: Address) {
  const { topics, data, logIndex } = log;
  const [topic, actor, second, third] = topics;
  // All of them name who acts first, and have three indexed fields.
  if (actor === undefined || second === undefined || third === undefined) return undefined;
  const wallet = toAddress(actor);
  if (wallet === settlement) return undefined;
  switch (topic) {
    case SINGLE:
    case BATCH: {
      const moves = topic === SINGLE ? [readSingle(data)] : readBatch(data);
      // From or to the zero address: minted or burned.
      return { type: 'transfer' as const, logIndex, from: toAddress(second), to: toAddress(third), moves };
    }
    case SPLIT:
    case MERGE: {
      // Not indexed: the collateral, where the partition begins, the amount.
      const type = topic === SPLIT ? ('split' as const) : ('merge' as const);
      const [collateral, amount] = [toAddress(wordAt(data, 0)), BigInt(wordAt(data, 2))];
      return { type, logIndex, wallet, marketId: third, collateral, amount };
    }
    case REDEMPTION: {
      // Not indexed: the condition, where the index sets begin, the payout.
      const [marketId, payout] = [wordAt(data, 0), BigInt(wordAt(data, 2))];
      return { type: 'redemption' as const, logIndex, wallet, marketId, collateral: toAddress(second), payout };
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

function toAddress(topic: Hex): Address {
  return `0x${topic.slice(26).toLowerCase()}` as const;
}
