// 32 bits that name a key in a table. Whoever does not know the seed cannot tell which keys share a place.

const SPREAD = 0x9e3779b1;
const SPREAD_HIGH = 0x27d4eb2f;

/** Never 0, which marks an empty place. */
export function tagOf(bits: number, seed: number): number {
  const tag = mix(mix(bits ^ seed) ^ Math.imul(seed, SPREAD));
  return tag === 0 ? 1 : tag;
}

/** The tag of a number that belongs to an owner: a nonce to a wallet, a trade to a market. */
export function ownedTagOf(owner: number, low: number, high: number, seed: number): number {
  return tagOf(low ^ Math.imul(owner + 1, SPREAD) ^ Math.imul(high, SPREAD_HIGH), seed);
}

/** The end of MurmurHash3: each bit changes about half of the others, and no two numbers become one. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
