// Options of a test run: its seed and its size.

/** True with `npm run test:long`: full counts instead of those for CI. */
export const isLongRun = process.env.PRESAGE_TEST_LONG === '1';

/** Seed of a random test: `PRESAGE_SEED` if set, to repeat a failure. Printed, so that it can be repeated. */
export function seedFromEnv(fallback: number): number {
  const text = process.env.PRESAGE_SEED;
  const seed = text === undefined || text === '' ? fallback : Number(text);
  if (!Number.isSafeInteger(seed)) throw new RangeError(`PRESAGE_SEED=${text} is not a whole number`);
  console.info(`seed ${seed}; repeat with PRESAGE_SEED=${seed}`);
  return seed;
}
