// EIP-1559 fees: what a first attempt offers, what others paid lately, and by how much a replacement must beat it.
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

/** Proposes fees; the sender itself makes sure that a replacement beats its predecessor. */
export type FeeStrategy = (context: FeeContext) => Fees | Promise<Fees>;

/** Pools refuse a replacement that does not raise both fields by this much. */
const REPLACEMENT_PERCENT = 10n;

/** Twice the base fee survives six full blocks in a row, which rise 12.5 % each. */
const BASE_FEE_HEADROOM = 2n;

export interface FeeStrategyOptions {
  /** Never offered less. */
  readonly leastTip: bigint;
  /** What others paid lately, where it is known. */
  readonly recentTip?: () => Promise<bigint>;
}

export function createFeeStrategy({ leastTip, recentTip }: FeeStrategyOptions): FeeStrategy {
  return async ({ baseFeePerGas }) => {
    const tip = larger(leastTip, (await recentTip?.()) ?? 0n);
    return { maxFeePerGas: baseFeePerGas * BASE_FEE_HEADROOM + tip, maxPriorityFeePerGas: tip };
  };
}

/** What every account of a chain offers: the tip that its settings name, or what others pay if that is more. */
export function openFees(rpc: Rpc, minTipGwei: number): FeeStrategy {
  return createFeeStrategy({ leastTip: toWei(minTipGwei), recentTip: followRecentTip({ rpc, nowMs: Date.now }) });
}

/** Fractions of a wei are not kept. */
export function toWei(gwei: number): bigint {
  return parseGwei(gwei.toFixed(9));
}

/** The proposal with a tip that the pool takes: it names the least it does, and asking again would cost another round. */
export function toDemandedFees(proposed: Fees, demandedTip: bigint): Fees {
  const missing = demandedTip - proposed.maxPriorityFeePerGas;
  if (missing <= 0n) return proposed;
  return { maxFeePerGas: proposed.maxFeePerGas + missing, maxPriorityFeePerGas: demandedTip };
}

/** The proposal with less room for later blocks, where that is all that exceeds the cap. */
export function toCappedFees(proposed: Fees, { baseFeePerGas, cap }: { baseFeePerGas: bigint; cap: bigint }): Fees {
  const isPaid = baseFeePerGas + proposed.maxPriorityFeePerGas <= cap;
  return isPaid && proposed.maxFeePerGas > cap ? { ...proposed, maxFeePerGas: cap } : proposed;
}

/** The proposal, lifted where it does not beat the previous fees by 10 % (rounded up, at least one wei). */
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
/** The median: enough for the next blocks, and no bidding against the most impatient. */
const PERCENTILE = 50;
const KEPT_MS = 10_000;

/** The median over the blocks of their median tips; zero where the node cannot say. */
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
