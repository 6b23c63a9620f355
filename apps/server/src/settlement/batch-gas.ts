// How many fills go into one transaction and how much gas it is given: by what fills are measured to take, within the cap of the chain.
import { SizeLimit } from '@presage/chain';

/** What a batch takes before its first fill. */
const BASE_GAS = 100_000n;
/** More than any fill of plain wallets takes, mint on sale into cold slots included: assumed until fills are measured. */
const FIRST_FILL_GAS = 280_000n;
/** Fills differ: the dearest of a batch takes about half as much again as the mean. What is not used is not paid. */
const MARGIN_PERCENT = 150n;
/** Cheap batches lower the estimate slowly, a dear one raises it at once. */
const DECAY = 4n;
/** A transaction of more gas than this is refused by rule on Ethereum (EIP-7825) and on the chains that follow it. */
const COMMON_CAP = 2n ** 24n;
/** Arbitrum One, Nova and Sepolia: 32 million since ArbOS 50 (nitro, l2pricing/model.go); their blocks claim to hold 2^50. */
const ARBITRUM_CAP = 32_000_000n;
/** Chains with a cap of their own. */
const KNOWN_CAPS: ReadonlyMap<number, bigint> = new Map([
  [42_161, ARBITRUM_CAP],
  [42_170, ARBITRUM_CAP],
  [421_614, ARBITRUM_CAP],
]);
/** OP nodes keep 70,000 gas of every block for themselves (op-geth, core/txpool/validation.go). */
const BLOCK_RESERVE = 100_000n;

/** The least of what the settings say, or what is known of the chain, and what a block holds. */
export function toGasCap(chain: { chainId: number; setting?: number | undefined; blockGasLimit: bigint }): bigint {
  const { chainId, setting, blockGasLimit } = chain;
  const known = setting === undefined ? (KNOWN_CAPS.get(chainId) ?? COMMON_CAP) : BigInt(setting);
  const ofBlock = blockGasLimit - BLOCK_RESERVE;
  return known < ofBlock ? known : ofBlock;
}

export interface BatchGasOptions {
  /** The most gas that a transaction may have. */
  readonly cap: bigint;
  /** What the contract wants to be left before every fill, or it stops the batch there. */
  readonly minFillGas: bigint;
  readonly mostFills: number;
}

export class BatchGas {
  readonly #options: BatchGasOptions;
  #fillGas = FIRST_FILL_GAS;
  readonly #sizeLimit = new SizeLimit();

  constructor(options: BatchGasOptions) {
    this.#options = options;
  }

  /** A single fill is always tried: if not even that fits, the chain says so. */
  get maxFills(): number {
    const { cap, minFillGas, mostFills } = this.#options;
    const fitting = Number((cap - BASE_GAS - minFillGas) / this.#fillGas);
    return Math.max(1, Math.min(mostFills, this.#sizeLimit.most, fitting));
  }

  /** With the gas that a simulation used, if it is known. */
  limitFor(fills: number, simulated?: bigint): bigint {
    const { cap, minFillGas } = this.#options;
    const wanted = simulated === undefined ? BASE_GAS + this.#fillGas * BigInt(fills) : withMargin(simulated);
    const limit = wanted + minFillGas;
    return limit < cap ? limit : cap;
  }

  /** A batch of so many fills took so much gas. */
  observe(fills: number, used: bigint): void {
    if (fills === 0) return;
    const measured = withMargin(used / BigInt(fills));
    if (measured >= this.#fillGas) this.#fillGas = measured;
    else this.#fillGas -= (this.#fillGas - measured) / DECAY;
  }

  /** With the whole cap only so many fills were reached. */
  observeReach(fills: number): void {
    this.#fillGas = this.#options.cap / BigInt(Math.max(1, fills));
  }

  /** A node refused a batch of so many fills for its size: half of it is tried next. */
  halve(fills: number): void {
    this.#sizeLimit.refuse(fills);
  }

  /** A batch of so many fills was mined. */
  accept(fills: number): void {
    this.#sizeLimit.accept(fills);
  }
}

function withMargin(gas: bigint): bigint {
  return (gas * MARGIN_PERCENT) / 100n;
}
