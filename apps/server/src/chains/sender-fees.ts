// What the senders of a chain offer for gas: by its settings, and by what others pay.
import { createFeeStrategy, followRecentTip, type Rpc, type TransactionSenderOptions } from '@presage/chain';
import { parseGwei } from 'viem';
import type { ChainConfig } from '../config.ts';

export type SenderFees = Required<Pick<TransactionSenderOptions, 'fees' | 'maxFeePerGasCap'>>;

export function toSenderFees({ minTipGwei, maxFeeGwei }: ChainConfig, rpc: Rpc): SenderFees {
  const recentTip = followRecentTip({ rpc, nowMs: Date.now });
  return {
    fees: createFeeStrategy({ leastTip: toWei(minTipGwei), recentTip }),
    maxFeePerGasCap: toWei(maxFeeGwei),
  };
}

/** Fractions of a wei are not kept. */
function toWei(gwei: number): bigint {
  return parseGwei(gwei.toFixed(9));
}
