// Opens the view of the journal: the projector that keeps it up, caught up with the journal, and the reads over it.
import type { Sql } from '../store/column-types.ts';
import { loadViewSchema } from '../store/schema.ts';
import { Projector, type ProjectorOptions } from './projector.ts';
import { Views } from './views.ts';

export interface OpenViewsOptions extends Pick<ProjectorOptions, 'source' | 'onRebuild' | 'onProgress' | 'onTrouble'> {
  readonly sql: Sql;
  /** Everything answered so far lies at or below it. */
  readonly answeredSeq: () => number;
  readonly nowMs: () => number;
}

export interface OpenedViews {
  readonly views: Views;
  /** Records that are durable but not yet in the view. */
  readonly lag: number;
  /** True once the view shows `seq`; false when that takes longer than `timeoutMs`. */
  waitFor(seq: number, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export async function openViews({ sql, answeredSeq, nowMs, ...following }: OpenViewsOptions): Promise<OpenedViews> {
  const projector = new Projector({ ...following, sql, schema: loadViewSchema() });
  await projector.start();
  return {
    views: new Views({ sql, progress: projector, answeredSeq, nowMs }),
    get lag() {
      return projector.lag;
    },
    waitFor: (seq, timeoutMs) => projector.waitFor(seq, timeoutMs),
    close: () => projector.close(),
  };
}
