// Spent nonces, 32 to an entry: wallets that count upward cost next to nothing.

/** A nonce is a uint64. As a map key it is a number if that is exact, since numbers hash without allocating. */
export type NonceKey = number | bigint;

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export function toNonceKey(nonce: bigint): NonceKey {
  return nonce <= SAFE ? Number(nonce) : nonce;
}

export class NonceSet {
  readonly #pages = new Map<NonceKey, number>();

  add(nonce: bigint): void {
    const page = toNonceKey(nonce >> 5n);
    this.#pages.set(page, (this.#pages.get(page) ?? 0) | (1 << Number(nonce & 31n)));
  }

  has(nonce: bigint): boolean {
    const bits = this.#pages.get(toNonceKey(nonce >> 5n));
    return bits !== undefined && ((bits >>> Number(nonce & 31n)) & 1) === 1;
  }

  copy(): NonceSet {
    const copy = new NonceSet();
    for (const [page, bits] of this.#pages) copy.#pages.set(page, bits);
    return copy;
  }

  /** Nonces in ascending order. */
  values(): bigint[] {
    const values: bigint[] = [];
    for (const [page, bits] of this.#pages) {
      for (let bit = 0; bit < 32; bit++) {
        if (((bits >>> bit) & 1) === 1) values.push((BigInt(page) << 5n) | BigInt(bit));
      }
    }
    return values.sort((a, b) => (a < b ? -1 : 1));
  }
}
