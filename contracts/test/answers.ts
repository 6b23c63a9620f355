// The results of a settlement transaction's fills, read from its logs.
import { type Hex, parseEventLogs, type TransactionReceipt } from 'viem';
import { presageSettlementAbi } from '../generated/abi.ts';

const mask = (1n << 64n) - 1n;

export function settledOf(
  receipt: TransactionReceipt,
): { buyHash: Hex; sellHash: Hex; price: bigint; size: bigint; cost: bigint; minted: bigint }[] {
  const logs = parseEventLogs({ abi: presageSettlementAbi, eventName: 'FillsSettled', logs: receipt.logs });
  return logs.flatMap(({ args: { fills } }) =>
    Array.from({ length: fills.length / 3 }, (_, index) => {
      const [buyHash, sellHash, word] = fills.slice(3 * index, 3 * index + 3);
      const amounts = BigInt(word!);
      return {
        buyHash: buyHash!,
        sellHash: sellHash!,
        price: (amounts >> 192n) & 0xf_ffffn,
        size: (amounts >> 128n) & mask,
        cost: (amounts >> 64n) & mask,
        minted: amounts & mask,
      };
    }),
  );
}

export function failuresOf(
  receipt: TransactionReceipt,
): { fillIndex: number; code: number; buyHash: Hex; sellHash: Hex }[] {
  const logs = parseEventLogs({ abi: presageSettlementAbi, eventName: 'FillFailed', logs: receipt.logs });
  return logs.map(({ args: { fillIndex, ...rest } }) => ({ fillIndex: Number(fillIndex), ...rest }));
}
