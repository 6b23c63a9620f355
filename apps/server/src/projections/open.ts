// Opens the views: the projector that keeps them current with the journal, and the queries over them.

import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import type { Store } from '../store/open.ts';
import { AuditLog, type AuditLogOptions } from './audit/audit-log.ts';
import type { ViewSource } from './batch-feed.ts';
import { SHARED_GATHER_MS, SharedView, type SharedViewOptions } from './shared-view.ts';
import { ViewHealth } from './view-health.ts';
import { ViewOwner } from './view-owner.ts';
import { ViewProjector, type ViewProjectorOptions } from './view-projector.ts';
import { createViews } from './views.ts';

export interface OpenViewsOptions {
  readonly config: Pick<Config, 'journalUrl'> & Partial<Pick<Config, 'lanes'>>;
  readonly journal: {
    /** The partitions of markets, m0 first. */
    readonly markets: readonly ViewSource[];
    readonly control: ViewSource;
  };
  readonly store: Pick<Store, 'sql' | 'schema' | 'embedded' | 'hasOthers' | 'moveOn'>;
  /** Set when other nodes use the same database: one of them at a time writes the view. */
  readonly shared?: Pick<SharedViewOptions, 'address' | 'leaseMs' | 'isReader'> | undefined;
  /** One sequence per partition: everything answered so far is at or below it. */
  readonly answeredSeqs: () => readonly number[];
  readonly onProgress: (step: string) => void;
  readonly log: Log;
  /** Aborted when nobody waits for the view to catch up any more. */
  readonly signal?: AbortSignal;
}

export async function openViews(options: OpenViewsOptions) {
  const { config, journal, store, shared, answeredSeqs, onProgress, log, signal } = options;
  const { sql, schema } = store;
  const { markets: sources, control } = journal;
  // Nodes that share a journal have its leases. Copies of a data folder have none, and may use the same database.
  const mayMeet = config.journalUrl === undefined && !store.embedded && shared === undefined;
  const hasOthers = mayMeet ? store.hasOthers : undefined;
  const owner = new ViewOwner({ sql, sources: [...sources, control], isPrivate: store.embedded, hasOthers });
  const health = new ViewHealth({ name: 'view', log, ends: () => toEnds(sources), cursors: () => projector.cursors });
  const following: ViewProjectorOptions & Pick<SharedViewOptions, 'onTrouble' | 'onRebuild'> = {
    sources,
    sql,
    schema,
    owner,
    onRebuild: (reason) => {
      onProgress(`rebuilding the view: ${reason}`);
      health.onRebuild(reason);
    },
    onProgress: ({ cursor, target }) => onProgress(`building the view: ${cursor} of ${target}`),
    onTrouble: health.onTrouble,
    ...(config.lanes && { limits: { gatherMs: SHARED_GATHER_MS } }),
  };
  const onLeading = (isLeading: boolean) =>
    log.info({}, isLeading ? 'writes the shared view' : 'no longer writes the shared view');
  const projector =
    shared === undefined
      ? new ViewProjector(following)
      : new SharedView({ ...following, ...shared, onLeading, moveOn: () => store.moveOn() });
  const onAbort = () => void projector.close();
  signal?.addEventListener('abort', onAbort);
  try {
    await projector.start();
    signal?.throwIfAborted();
  } catch (error) {
    await projector.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  health.start();
  const lag = () => projector.lag;
  return {
    views: createViews({ sql, progress: projector, answeredSeqs }),
    /** Knows which journal the database belongs to. */
    owner,
    /** Why the view does not show the whole journal; undefined while it does. */
    trouble: () => health.trouble,
    lag,
    /** First record of a partition that is not in the view. */
    neededFromSeq: (index: number) => (projector.cursors[index] ?? 0) + 1,
    gauges: () => ({ presage_view_lag: { help: 'Records that the view has not reached', read: lag } }),
    /** Called before this node stops: another node that shares the view takes over writing. */
    yieldLease: async () => (projector instanceof SharedView ? projector.yieldLease() : undefined),
    close: () => projector.close(),
  };
}

export interface OpenAuditLogOptions extends Omit<AuditLogOptions, 'onTrouble' | 'onRebuild'> {
  /** Only the settler writes the audit log, because operators send their requests to it. */
  readonly config: { readonly roles: readonly string[] };
  readonly log: Log;
}

/** Records operator actions from now on. */
export async function openAuditLog({ config, log, ...options }: OpenAuditLogOptions) {
  const { source } = options;
  const cursors = (): number[] => [audit.cursor];
  const health = new ViewHealth({ name: 'audit log', log, ends: () => toEnds([source]), cursors });
  const { onTrouble, onRebuild } = health;
  const audit = new AuditLog({ ...options, onTrouble, onRebuild });
  if (config.roles.includes('settler')) await audit.start();
  health.start();
  /** `trouble` says why the log does not show every action; undefined while it does. */
  return { audit, trouble: () => health.trouble };
}

function toEnds(sources: readonly ViewSource[]): number[] {
  return sources.map(({ lastSeq }) => lastSeq);
}
