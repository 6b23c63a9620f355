// 32-bit tags of keys in a table. Without the seed nobody can tell which keys collide.

const SPREAD = 0x9e3779b1;
const SPREAD_HIGH = 0x27d4eb2f;

/** Never 0, which marks an empty place. */
export function tagOf(bits: number, seed: number): number {
  const tag = mix(mix(bits ^ seed) ^ Math.imul(seed, SPREAD));
  return tag === 0 ? 1 : tag;
}

/** Tag of a number that belongs to an owner: a nonce of a wallet, a trade of a market. */
export function ownedTagOf(owner: number, low: number, high: number, seed: number): number {
  return tagOf(low ^ Math.imul(owner + 1, SPREAD) ^ Math.imul(high, SPREAD_HIGH), seed);
}

/** The finalizer of MurmurHash3: each bit changes about half of the others, and the mapping is one-to-one. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
