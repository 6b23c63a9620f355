// Lets waits of many seconds run out at once.
import { vi } from 'vitest';

const STEP_MS = 5_000;

/** Moves the monotonic clock ahead each time that somebody looks at it. */
export async function hurried<T>(run: () => Promise<T>): Promise<T> {
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    aheadMs += STEP_MS;
    return now() + aheadMs;
  });
  try {
    return await run();
  } finally {
    clock.mockRestore();
  }
}
