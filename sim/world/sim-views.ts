// The view of a simulated service: none yet.
import type { OpenHost } from '../../apps/server/src/host/open.ts';
import type { PartitionLog } from '../../apps/server/src/host/partition-log.ts';
import type { Views } from '../../apps/server/src/projections/views.ts';
import type { World } from './world.ts';

export class SimViewDatabase {
  isDown = false;
}

export interface SimViewsOptions {
  readonly world: World;
  readonly source: PartitionLog;
  readonly host: OpenHost;
  readonly database: SimViewDatabase;
}

export async function openSimViews(_options: SimViewsOptions): Promise<{ views: Views; close(): Promise<void> }> {
  return { views: {} as Views, close: async () => undefined };
}
