// Opens the views: the projector that keeps them up with the journal, and the queries over them.
import type { Sql } from '../store/column-types.ts';
import type { ViewSchema } from '../store/schema.ts';
import { AuditLog, type AuditLogOptions } from './audit/audit-log.ts';
import type { ViewSource } from './batch-feed.ts';
import { SharedView, type SharedViewOptions } from './shared-view.ts';
import { ViewProjector, type ViewProjectorOptions } from './view-projector.ts';
import { createViews, type Views } from './views.ts';

export interface OpenViewsOptions {
  /** Of the markets, m0 first. */
  readonly sources: readonly ViewSource[];
  readonly store: { readonly sql: Sql; readonly schema: ViewSchema; moveOn(): void };
  /** Where other nodes use the same database: one of them writes the view at a time. */
  readonly shared?: { readonly address: string; readonly leaseMs: number } | undefined;
  /** Of each partition: everything answered so far lies at or below them. */
  readonly answeredSeqs: () => readonly number[];
  readonly onProgress: (step: string) => void;
  readonly log: Record<'info' | 'warn', (details: object, message: string) => void>;
}

export interface OpenViews {
  readonly views: Views;
  /** Records that the view has not reached. */
  readonly lag: () => number;
  /** Of a partition the first record that is not in the view. */
  readonly neededFromSeq: (index: number) => number;
  gauges(): Record<string, { help: string; read: () => number }>;
  close(): Promise<void>;
}

export async function openViews({
  sources,
  store,
  shared,
  answeredSeqs,
  onProgress,
  log,
}: OpenViewsOptions): Promise<OpenViews> {
  const { sql, schema } = store;
  const options: ViewProjectorOptions & Pick<SharedViewOptions, 'onTrouble'> = {
    sources,
    sql,
    schema,
    onRebuild: (reason) => onProgress(`rebuilding the view: ${reason}`),
    onProgress: ({ cursor, target }) => onProgress(`building the view: ${cursor} of ${target}`),
    onTrouble: (error) => log.warn({ error: String(error) }, 'the database did not do as asked'),
  };
  const onLeading = (isLeading: boolean) =>
    log.info({}, isLeading ? 'writes the shared view' : 'no longer writes the shared view');
  const projector =
    shared === undefined
      ? new ViewProjector(options)
      : new SharedView({ ...options, ...shared, onLeading, moveOn: () => store.moveOn() });
  try {
    await projector.start();
  } catch (error) {
    await projector.close();
    throw error;
  }
  const lag = () => projector.lag;
  return {
    views: createViews({ sql, progress: projector, answeredSeqs }),
    lag,
    neededFromSeq: (index) => (projector.cursors[index] ?? 0) + 1,
    gauges: () => ({ presage_view_lag: { help: 'Records that the view has not reached', read: lag } }),
    close: () => projector.close(),
  };
}

export interface OpenAuditLogOptions extends Omit<AuditLogOptions, 'onTrouble'> {
  /** Operators ask the settler: other nodes write nothing down. */
  readonly config: { readonly roles: readonly string[] };
  readonly log: { warn(details: object, message: string): void };
}

/** Writes down what operators do from now on. */
export function openAuditLog({ config, log, ...options }: OpenAuditLogOptions): AuditLog {
  const onTrouble = (error: unknown) => log.warn({ error: String(error) }, 'the audit log could not be written');
  const audit = new AuditLog({ ...options, onTrouble });
  if (config.roles.includes('settler')) audit.start();
  return audit;
}
