// Blocks that counted as final and left the chain raise an alarm, which the operator sees in /ready for an hour.
import type { World } from '../world/world.ts';

/** The accounts and alarms of a live chain are looked at every 15 s. */
const LOOK_MS = 20_000;

/** A process that began after it has never seen the blocks that left, nor has one that no node told of them. */
export async function* checkAlarms(world: World): AsyncGenerator<string> {
  const { deepReorgMs, isDeepReorgSeen, settlerReadyMs } = world;
  if (!isDeepReorgSeen || deepReorgMs === undefined || settlerReadyMs === undefined || settlerReadyMs > deepReorgMs)
    return;
  const isRaised = () => world.service?.actor?.operations.alarms().includes('deep_reorg') === true;
  if (!(await world.time.runUntil(isRaised, world.time.nowMs + LOOK_MS)))
    yield 'blocks that counted as final left the chain, and no alarm says so';
}
