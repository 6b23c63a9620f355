// The results of a settlement transaction's fills, read from its logs.
import { type Hex, parseEventLogs, type TransactionReceipt } from 'viem';
import { presageSettlementAbi } from '../generated/abi.ts';

const mask = (1n << 64n) - 1n;

export function settledOf(
  receipt: TransactionReceipt,
): { buyHash: Hex; sellHash: Hex; price: bigint; size: bigint; cost: bigint; minted: bigint }[] {
  return parseEventLogs({ abi: presageSettlementAbi, eventName: 'FillSettled', logs: receipt.logs }).map(
    ({ args }) => ({
      buyHash: args.buyHash,
      sellHash: args.sellHash,
      price: args.amounts >> 192n,
      size: (args.amounts >> 128n) & mask,
      cost: (args.amounts >> 64n) & mask,
      minted: args.amounts & mask,
    }),
  );
}

export function failuresOf(
  receipt: TransactionReceipt,
): { fillIndex: number; code: number; buyHash: Hex; sellHash: Hex }[] {
  const logs = parseEventLogs({ abi: presageSettlementAbi, eventName: 'FillFailed', logs: receipt.logs });
  return logs.map(({ args: { fillIndex, ...rest } }) => ({ fillIndex: Number(fillIndex), ...rest }));
}
