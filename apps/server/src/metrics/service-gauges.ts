// Gauges of the process's surroundings: the disk that its data is on, the database, and what was built.
import { statfsSync } from 'node:fs';
import type { GaugeReading } from './metrics.ts';

export interface ServiceGaugesOptions {
  readonly dataDir: string;
  readonly isDatabaseUp: () => Promise<boolean>;
}

export function serviceGauges({ dataDir, isDatabaseUp }: ServiceGaugesOptions): Record<string, GaugeReading> {
  return {
    presage_data_disk_free_bytes: { help: 'Room left where the journal is', read: () => freeBytes(dataDir) },
    presage_database_up: {
      help: 'Whether the database answers within a second',
      read: async () => Number(await isDatabaseUp()),
    },
  };
}

/** What this user may still write; NaN where it cannot be told. */
function freeBytes(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}
