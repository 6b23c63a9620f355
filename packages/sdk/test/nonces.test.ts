// Nonces: counted in each market, from a start that no other process can have used.
import { MAX_UINT64 } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { expect, it } from 'vitest';
import { NonceSequence } from '../src/orders/nonces.ts';

const seed = seedFromEnv(7);
const A = `0x${'aa'.repeat(32)}`;
const B = `0x${'bb'.repeat(32)}`;

function counterAt(nowMs: number, random = new SeededRandom(seed)): NonceSequence {
  return new NonceSequence({ nowMs: () => nowMs, random: () => random.uint32() });
}

it('count up by one in each market, however the market is spelt, four to a slot of the contract', () => {
  const nonces = counterAt(1_800_000_000_000);
  const first = nonces.next(A);
  expect(first % 4n).toBe(0n);
  expect([nonces.next(A.toUpperCase()), nonces.next(A), nonces.next(A)]).toEqual([first + 1n, first + 2n, first + 3n]);
  expect(nonces.next(B)).not.toBe(first + 4n);
  expect(nonces.next(A)).toBe(first + 4n);
});

it('fit into a uint64 until the year 2109', () => {
  const latest = new NonceSequence({ nowMs: () => Date.UTC(2109, 0, 1), random: () => 0xffff_ffff });
  expect(latest.next(A)).toBeLessThan(MAX_UINT64);
});

it('start above anything an earlier process reached', () => {
  const random = new SeededRandom(seed);
  let nowMs = 1_800_000_000_000;
  let highest = 0n;
  for (let restart = 0; restart < 500; restart++) {
    const nonces = counterAt(nowMs, random);
    const orders = random.int(1, 200);
    for (let order = 0; order < orders; order++) {
      const nonce = nonces.next(A);
      if (nonce <= highest) throw new Error(`seed ${seed}, restart ${restart}: ${nonce} is not above ${highest}`);
      highest = nonce;
    }
    nowMs += random.int(1, 1_000);
  }
  expect(highest).toBeGreaterThan(0n);
});

it('do not collide when many processes of one wallet start in the same millisecond', () => {
  const random = new SeededRandom(seed);
  const starts = Array.from({ length: 50 }, () => counterAt(1_800_000_000_000, random).next(A));
  expect(new Set(starts).size, `seed ${seed}`).toBe(starts.length);
});
