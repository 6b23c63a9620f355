// Number of fills per transaction and its gas limit, from the measured gas of fills and the cap of the chain.
import { SizeLimit } from '@presage/chain';

/** Gas of a batch before its first fill. */
const BASE_GAS = 100_000n;
/** Gas assumed per fill until fills are measured: more than any fill of plain wallets takes, including a mint on sale into cold slots. */
const FIRST_FILL_GAS = 280_000n;
/** Margin over the mean: the most expensive fill of a batch takes about half as much again. Unused gas is not paid. */
const MARGIN_PERCENT = 150n;
/** Divisor of a decrease: cheap batches lower the estimate slowly, an expensive one raises it at once. */
const DECAY = 4n;
/** Gas limit of a transaction on Ethereum (EIP-7825) and on chains that follow it. */
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

/** Gas cap of a transaction: the setting or the known cap of the chain, but no more than a block holds. */
export function toGasCap(chain: { chainId: number; setting?: number | undefined; blockGasLimit: bigint }): bigint {
  const { chainId, setting, blockGasLimit } = chain;
  const known = setting === undefined ? (KNOWN_CAPS.get(chainId) ?? COMMON_CAP) : BigInt(setting);
  const ofBlock = blockGasLimit - BLOCK_RESERVE;
  return known < ofBlock ? known : ofBlock;
}

export interface BatchGasOptions {
  /** Gas limit of a transaction. */
  readonly cap: bigint;
  /** Gas that the contract requires to be left before every fill; otherwise it stops the batch there. */
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

  /** Limit of fills of the next batch. At least one, since the chain itself refuses one that does not fit. */
  get maxFills(): number {
    const { cap, minFillGas, mostFills } = this.#options;
    const fitting = Number((cap - BASE_GAS - minFillGas) / this.#fillGas);
    return Math.max(1, Math.min(mostFills, this.#sizeLimit.most, fitting));
  }

  /** Gas limit of a batch, from the gas that a simulation used if it is known. */
  limitFor(fills: number, simulated?: bigint): bigint {
    const { cap, minFillGas } = this.#options;
    const wanted = simulated === undefined ? BASE_GAS + this.#fillGas * BigInt(fills) : withMargin(simulated);
    const limit = wanted + minFillGas;
    return limit < cap ? limit : cap;
  }

  /** Learns from the gas that a batch used. */
  observe(fills: number, used: bigint): void {
    if (fills === 0) return;
    const measured = withMargin(used / BigInt(fills));
    if (measured >= this.#fillGas) this.#fillGas = measured;
    else this.#fillGas -= (this.#fillGas - measured) / DECAY;
  }

  /** Learns from a batch in which the whole cap reached only this many fills. */
  observeReach(fills: number): void {
    this.#fillGas = this.#options.cap / BigInt(Math.max(1, fills));
  }

  /** Halves the limit of fills after a node refused a batch for its size. */
  halve(fills: number): void {
    this.#sizeLimit.refuse(fills);
  }

  /** Learns that a batch of this many fills was mined. */
  accept(fills: number): void {
    this.#sizeLimit.accept(fills);
  }
}

function withMargin(gas: bigint): bigint {
  return (gas * MARGIN_PERCENT) / 100n;
}
