// How far slabs grow: by doubling while they are small, then to memory that the system gives only as it is touched.
import { expect, test } from 'vitest';
import { pagedCapacityFor } from '../src/slabs/grown.ts';

const MEBIBYTE = 1024 * 1024;

test('a small slab doubles until it has the place', () => {
  expect(pagedCapacityFor(64, 64, 160)).toBe(128);
  expect(pagedCapacityFor(1_000, 64, 160)).toBe(1_024);
});

test.each([64, 160])('one of 2 MiB or more, of %i bytes an entry, has at least 32', (entryBytes) => {
  const small = (2 * MEBIBYTE) / entryBytes;
  const capacity = pagedCapacityFor(small, small, entryBytes);
  expect(Number.isInteger(capacity)).toBe(true);
  expect(capacity * entryBytes).toBeGreaterThanOrEqual(32 * MEBIBYTE);
  expect(pagedCapacityFor(capacity, capacity, entryBytes)).toBe(2 * capacity);
});
