// EIP-1559 fees: what a first attempt offers and by how much a replacement must beat it.

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

export function createFeeStrategy(options: { maxPriorityFeePerGas: bigint }): FeeStrategy {
  return ({ baseFeePerGas }) => ({
    maxFeePerGas: baseFeePerGas * BASE_FEE_HEADROOM + options.maxPriorityFeePerGas,
    maxPriorityFeePerGas: options.maxPriorityFeePerGas,
  });
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
