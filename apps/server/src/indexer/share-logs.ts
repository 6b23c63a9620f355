// Logs of the conditional tokens as share movements; decoded by hand, since a settled batch has hundreds of them.
import type { WatchedLog } from '@presage/chain';
import { conditionalTokensWithPermitAbi } from '@presage/contracts';
import type { Address, Hex, MarketId } from '@presage/protocol';
import { decodeAbiParameters, parseEventLogs } from 'viem';
import { lower, selectorOf, toViemLogs } from './viem-logs.ts';

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
const OTHERS = ['PositionSplit', 'PositionsMerge', 'PayoutRedemption'] as const;
const OTHER_TOPICS = OTHERS.map((name) => selectorOf(conditionalTokensWithPermitAbi, name));

export const SHARE_TOPICS: readonly Hex[] = [SINGLE, BATCH, ...OTHER_TOPICS];

/** Undefined for what the settlement contract did, and for what is not about shares. */
export function readShareLog(log: WatchedLog, settlement: Address): ShareLog | undefined {
  const [topic, operator, from, to] = log.topics;
  if (topic === undefined || !SHARE_TOPICS.includes(topic)) return undefined;
  if (topic !== SINGLE && topic !== BATCH) return readConversion(log);
  if (operator === undefined || from === undefined || to === undefined) return undefined;
  if (toAddress(operator) === settlement) return undefined;
  const moves = topic === SINGLE ? [readSingle(log.data)] : readBatch(log.data);
  return { type: 'transfer', logIndex: log.logIndex, from: toAddress(from), to: toAddress(to), moves };
}

function readConversion(log: WatchedLog): ShareLog | undefined {
  const [event] = parseEventLogs({
    abi: conditionalTokensWithPermitAbi,
    eventName: [...OTHERS],
    logs: toViemLogs([log]),
  });
  if (event === undefined) return undefined;
  const { conditionId: marketId, collateralToken } = event.args;
  const head = { logIndex: log.logIndex, marketId, collateral: lower(collateralToken) };
  if (event.eventName === 'PayoutRedemption') {
    const { redeemer, payout } = event.args;
    return { type: 'redemption', ...head, wallet: lower(redeemer), payout };
  }
  const { stakeholder, amount } = event.args;
  return { type: event.eventName === 'PositionSplit' ? 'split' : 'merge', ...head, wallet: lower(stakeholder), amount };
}

function readSingle(data: Hex): { tokenId: bigint; amount: bigint } {
  return { tokenId: BigInt(data.slice(0, 66)), amount: BigInt(`0x${data.slice(66, 130)}`) };
}

function readBatch(data: Hex): { tokenId: bigint; amount: bigint }[] {
  const [ids, amounts] = decodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], data);
  return ids.map((tokenId, index) => ({ tokenId, amount: amounts[index] ?? 0n }));
}

function toAddress(topic: Hex): Address {
  return `0x${topic.slice(26).toLowerCase()}` as Address;
}
