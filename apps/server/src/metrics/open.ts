// Opens the service's metrics and registers those of its surroundings.
import { statfsSync } from 'node:fs';
import type { ServedChain } from '../chains/chain-actor.ts';
import { Metrics } from './metrics.ts';

interface BuildLabels {
  readonly version: string;
  readonly node: string;
  /** Number of the lane, if this process is one. */
  readonly lane?: string;
}

export function openMetrics({ version, node, lane }: BuildLabels): Metrics {
  const labels = { version, node, ...(lane && { lane }) };
  const metrics = new Metrics();
  metrics.addGauges({ presage_build_info: { help: 'Always 1; the labels say what runs', read: () => 1 } }, labels);
  return metrics;
}

/** Adds gauges for the disk with the data, and for the database. */
export function watchSurroundings(metrics: Metrics, dataDir: string, isDatabaseUp: () => Promise<boolean>): void {
  metrics.addGauges({
    presage_data_disk_free_bytes: { help: 'Room left where the journal is', read: () => freeBytes(dataDir) },
    presage_database_up: {
      help: 'Whether the database answers within a second',
      read: async () => Number(await isDatabaseUp()),
    },
  });
}

/** State of the journal database's synchronous standby, for the metrics and for `/ready`. */
export function openStandbyState(metrics: Metrics) {
  let isAway = false;
  const help = 'Whether the synchronous standby of the journal is away; 0 where there is none';
  metrics.addGauges({ presage_journal_standby_away: { help, read: () => Number(isAway) } });
  return {
    isAway: () => isAway,
    note: (isNowAway: boolean) => {
      isAway = isNowAway;
    },
  };
}

/** Bytes that this user may still write; NaN if unknown. */
function freeBytes(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}

/** Adds a chain's metrics; none on a node that does not act on the chain. */
export function watchChain(metrics: Metrics, { config, actor }: Pick<ServedChain, 'config' | 'actor'>): void {
  const labels = { chain: `${config.chainId}` };
  metrics.addGauges(actor?.gauges() ?? {}, labels);
  metrics.addCounters(actor?.counters() ?? {}, labels);
}
