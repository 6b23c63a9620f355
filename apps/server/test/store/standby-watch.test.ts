// The look at the synchronous standby, where the server that is asked has vanished without closing its connections.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ConnectionPool } from '../../src/store/connection-pool.ts';
import { StandbyWatch } from '../../src/store/standby-watch.ts';

const NEVER = new Promise<never>(() => undefined);

/** Two servers: the first says nothing any more, the second has lost its standby. */
function twoServers() {
  let losses = 0;
  const unsafe = () => (losses === 0 ? NEVER : Promise.resolve([{ in_recovery: false, is_away: true }]));
  const moveOn = (since = losses) => {
    if (since === losses) losses++;
  };
  const pool = { sql: { unsafe }, moveOn, close: async () => undefined };
  Object.defineProperty(pool, 'losses', { get: () => losses });
  return pool as unknown as ConnectionPool;
}

it('asks the next server after one that does not answer, and continues alone there', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const watch = new StandbyWatch({ pool: twoServers(), choice: 'alone' });
  onTestFinished(() => watch.close());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(watch.isAway).toBe(true);
  expect(watch.isAlone).toBe(true);
});
