// The seed of random tests: the test's own, or the one asked for.
import { seedFromEnv } from '@presage/testkit';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('takes PRESAGE_SEED where it is set, and prints what it took', () => {
  const printed = vi.spyOn(console, 'info').mockImplementation(() => undefined);
  vi.stubEnv('PRESAGE_SEED', '');
  expect(seedFromEnv(7)).toBe(7);
  vi.stubEnv('PRESAGE_SEED', '42');
  expect(seedFromEnv(7)).toBe(42);
  expect(printed.mock.calls).toEqual([
    ['seed 7; repeat with PRESAGE_SEED=7'],
    ['seed 42; repeat with PRESAGE_SEED=42'],
  ]);
});

it('refuses a seed that is no whole number', () => {
  vi.stubEnv('PRESAGE_SEED', 'today');
  expect(() => seedFromEnv(7)).toThrow('PRESAGE_SEED=today');
});
