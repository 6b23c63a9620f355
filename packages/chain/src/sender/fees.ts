// EIP-1559 fees: the offer of a first attempt, the recent fees of others, and the raise that a replacement needs.
import { isObject } from '@presage/protocol';
import { parseGwei } from 'viem';
import { parseQuantity, toQuantity } from '../quantity.ts';
import { isRpcFailure, type Rpc } from '../rpc.ts';

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface FeeContext {
  /** 0 for the first attempt at a nonce. */
  readonly attempt: number;
  readonly baseFeePerGas: bigint;
  readonly previous: Fees | null;
}

/** Proposes fees; the sender itself makes sure that a replacement beats the previous attempt. */
export type FeeStrategy = (context: FeeContext) => Fees | Promise<Fees>;

/** Raise of both fields in percent, below which pools refuse a replacement. */
const REPLACEMENT_PERCENT = 10n;

/** Headroom factor: twice the base fee survives six full blocks in a row, which raise it by 12.5 % each. */
const BASE_FEE_HEADROOM = 2n;

export interface FeeStrategyOptions {
  /** Minimum tip. */
  readonly leastTip: bigint;
  /** The recent tip of others, if the chain can tell. */
  readonly recentTip?: () => Promise<bigint>;
}

export function createFeeStrategy({ leastTip, recentTip }: FeeStrategyOptions): FeeStrategy {
  return async ({ baseFeePerGas }) => {
    const tip = larger(leastTip, (await recentTip?.()) ?? 0n);
    return { maxFeePerGas: baseFeePerGas * BASE_FEE_HEADROOM + tip, maxPriorityFeePerGas: tip };
  };
}

/**
 * The strategy of every account of a chain: the tip from its settings, or the recent tip of others if that is higher.
 */
export function openFees(rpc: Rpc, minTipGwei: number): FeeStrategy {
  return createFeeStrategy({ leastTip: toWei(minTipGwei), recentTip: followRecentTip({ rpc, nowMs: Date.now }) });
}

/** Converts gwei to wei; fractions of a wei are dropped. */
export function toWei(gwei: number): bigint {
  return parseGwei(gwei.toFixed(9));
}

/**
 * The proposal with at least the tip that the pool demanded: it names its minimum, and asking again would cost another
 * round.
 */
export function toDemandedFees(proposed: Fees, demandedTip: bigint): Fees {
  const missing = demandedTip - proposed.maxPriorityFeePerGas;
  if (missing <= 0n) return proposed;
  return { maxFeePerGas: proposed.maxFeePerGas + missing, maxPriorityFeePerGas: demandedTip };
}

/** The proposal with less headroom for later blocks, if only the headroom exceeds the cap. */
export function toCappedFees(proposed: Fees, { baseFeePerGas, cap }: { baseFeePerGas: bigint; cap: bigint }): Fees {
  const isPaid = baseFeePerGas + proposed.maxPriorityFeePerGas <= cap;
  return isPaid && proposed.maxFeePerGas > cap ? { ...proposed, maxFeePerGas: cap } : proposed;
}

/** The proposal, raised if it does not beat the previous fees by 10 % (rounded up, at least one wei). */
export function toReplacementFees(previous: Fees, proposed: Fees): Fees {
  const maxPriorityFeePerGas = larger(proposed.maxPriorityFeePerGas, raise(previous.maxPriorityFeePerGas));
  const maxFeePerGas = larger(proposed.maxFeePerGas, raise(previous.maxFeePerGas));
  return { maxFeePerGas: larger(maxFeePerGas, maxPriorityFeePerGas), maxPriorityFeePerGas };
}

function raise(fee: bigint): bigint {
  const step = (fee * REPLACEMENT_PERCENT + 99n) / 100n;
  return fee + (step === 0n ? 1n : step);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

const BLOCKS = 10;
/** The median: enough for the next blocks, without outbidding the most impatient. */
const PERCENTILE = 50;
const KEPT_MS = 10_000;

/** Follows the median over recent blocks of their median tips; zero if the node cannot tell. */
export function followRecentTip({ rpc, nowMs }: { rpc: Rpc; nowMs: () => number }): () => Promise<bigint> {
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

/** Empty blocks report zero, which means nothing. */
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
