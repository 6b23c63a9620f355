// What transactions of the last blocks paid above the base fee, asked once a while.
import { isObject } from '@presage/protocol';
import { parseQuantity, toQuantity } from './quantity.ts';
import type { Rpc } from './rpc.ts';
import { isRpcFailure } from './rpc-errors.ts';

export interface RecentTipOptions {
  readonly rpc: Rpc;
  readonly nowMs: () => number;
}

const BLOCKS = 10;
/** The median: enough for the next blocks, and no bidding against the most impatient. */
const PERCENTILE = 50;
const KEPT_MS = 10_000;

/** The median over the blocks of their median tips; zero where the node cannot say. */
export function followRecentTip({ rpc, nowMs }: RecentTipOptions): () => Promise<bigint> {
  let kept = { atMs: Number.NEGATIVE_INFINITY, tip: 0n };
  return async () => {
    if (nowMs() - kept.atMs < KEPT_MS) return kept.tip;
    kept = { atMs: nowMs(), tip: await askTip(rpc) };
    return kept.tip;
  };
}

async function askTip(rpc: Rpc): Promise<bigint> {
  try {
    const history = await rpc.request('eth_feeHistory', [toQuantity(BLOCKS), 'latest', [PERCENTILE]]);
    return medianOf(readTips(history));
  } catch (error) {
    if (isRpcFailure(error)) return 0n;
    throw error;
  }
}

/** Empty blocks say zero and mean nothing. */
function readTips(history: unknown): bigint[] {
  if (!isObject(history) || !Array.isArray(history.reward)) return [];
  return history.reward
    .map((tips: unknown) => parseQuantity(Array.isArray(tips) ? tips[0] : '0x0'))
    .filter((tip) => tip > 0n);
}

function medianOf(tips: readonly bigint[]): bigint {
  const sorted = tips.toSorted((a, b) => (a < b ? -1 : 1));
  return sorted[sorted.length >> 1] ?? 0n;
}
