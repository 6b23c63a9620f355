// Opens the views: the projector that keeps them up with the journal, and the queries over them.
import type { Sql } from '../store/column-types.ts';
import type { ViewSchema } from '../store/schema.ts';
import { AuditLog, type AuditLogOptions } from './audit/audit-log.ts';
import type { ViewSource } from './batch-feed.ts';
import { ViewProjector } from './view-projector.ts';
import { createViews, type Views } from './views.ts';

export interface OpenViewsOptions {
  /** Of the markets, m0 first. */
  readonly sources: readonly ViewSource[];
  readonly store: { readonly sql: Sql; readonly schema: ViewSchema };
  /** Of each partition: everything answered so far lies at or below them. */
  readonly answeredSeqs: () => readonly number[];
  readonly onProgress: (step: string) => void;
  readonly log: { warn(details: object, message: string): void };
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
  answeredSeqs,
  onProgress,
  log,
}: OpenViewsOptions): Promise<OpenViews> {
  const { sql, schema } = store;
  const projector = new ViewProjector({
    sources,
    sql,
    schema,
    onRebuild: (reason) => onProgress(`rebuilding the view: ${reason}`),
    onProgress: ({ cursor, target }) => onProgress(`building the view: ${cursor} of ${target}`),
    onTrouble: (error) => log.warn({ error: String(error) }, 'the database did not do as asked'),
  });
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
  readonly log: { warn(details: object, message: string): void };
}

/** Writes down what operators do from now on. */
export function openAuditLog({ log, ...options }: OpenAuditLogOptions): AuditLog {
  const onTrouble = (error: unknown) => log.warn({ error: String(error) }, 'the audit log could not be written');
  const audit = new AuditLog({ ...options, onTrouble });
  audit.start();
  return audit;
}
