// Order nonces: counted upward in each market, from a start that no earlier or concurrent process can have used.

/** Unix milliseconds, shifted by this, take the upper 42 bits until the year 2109. */
const MS_SHIFT = 22n;
/**
 * Sequences start at a slot boundary and leave the top bit clear: two million orders fit below the next millisecond.
 */
const SLOT_BITS = 2n;
const RANDOM_BITS = 19;

export interface NonceSource {
  readonly nowMs: () => number;
  /** Returns 32 random bits. */
  readonly random: () => number;
}

const PLATFORM: NonceSource = {
  nowMs: Date.now,
  random: () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
};

/**
 * Order nonces of each market. The contract packs the filled amounts of four consecutive nonces into one storage slot,
 * so counting upward pays for a quarter of the slots. Nothing has to be stored: a later process starts above any nonce
 * of an earlier one.
 */
export class NonceSequence {
  readonly #source: NonceSource;
  readonly #next = new Map<string, bigint>();

  constructor(source: NonceSource = PLATFORM) {
    this.#source = source;
  }

  next(marketId: string): bigint {
    const nonce = this.peek(marketId);
    this.#next.set(marketId.toLowerCase(), nonce + 1n);
    return nonce;
  }

  /** The next nonce, without using it. */
  peek(marketId: string): bigint {
    const key = marketId.toLowerCase();
    const nonce = this.#next.get(key) ?? this.#start();
    this.#next.set(key, nonce);
    return nonce;
  }

  #start(): bigint {
    const random = BigInt.asUintN(RANDOM_BITS, BigInt(this.#source.random()));
    return (BigInt(this.#source.nowMs()) << MS_SHIFT) | (random << SLOT_BITS);
  }
}
