// Spent nonces, 32 to an entry: wallets that count upward cost next to nothing.
import { toBigint } from './hex-words.ts';

/** Number of a page: a number below 2^53, since numbers hash without allocating. */
type PageKey = number | bigint;

const HIGH_STEP = 2 ** 27;
/** Nonces with an upper half below this are on pages whose numbers are exact. */
const EXACT_HIGH = 2 ** 26;

export class NonceSet {
  readonly #pages = new Map<PageKey, number>();

  /** A nonce is given as its two words, the lower first. */
  add(low: number, high: number): void {
    const page = pageOf(low, high);
    this.#pages.set(page, (this.#pages.get(page) ?? 0) | (1 << (low & 31)));
  }

  has(low: number, high: number): boolean {
    const bits = this.#pages.get(pageOf(low, high));
    return bits !== undefined && ((bits >>> (low & 31)) & 1) === 1;
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

function pageOf(low: number, high: number): PageKey {
  const upper = high >>> 0;
  return upper < EXACT_HIGH ? upper * HIGH_STEP + (low >>> 5) : toBigint(low, high) >> 5n;
}
