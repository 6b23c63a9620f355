// Checks that a reorganization of final blocks raises an alarm, which the operator sees in /ready for an hour.
import type { World } from '../world/world.ts';

/** Longer than the 15 s between checks of a live chain's accounts and alarms. */
const LOOK_MS = 20_000;

/**
 * A process that began after the reorganization has never seen the removed blocks, nor has one to which no node
 * reported them.
 */
export async function* checkAlarms(world: World): AsyncGenerator<string> {
  const { deepReorgMs, isDeepReorgSeen, settlerReadyMs } = world;
  if (!isDeepReorgSeen || deepReorgMs === undefined || settlerReadyMs === undefined || settlerReadyMs > deepReorgMs)
    return;
  const isRaised = () => world.service?.actor?.operations.alarms().includes('deep_reorg') === true;
  if (!(await world.time.runUntil(isRaised, world.time.nowMs + LOOK_MS)))
    yield 'blocks that counted as final left the chain, and no alarm says so';
}
