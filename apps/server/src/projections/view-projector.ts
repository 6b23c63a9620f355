// The projectors of the view: one per partition of markets; together they keep the tables current.
import { Projector, type ProjectorOptions, type ProjectorProgress } from './projector.ts';
import { TableWatch } from './table-watch.ts';
import { ViewDatabase } from './view-database.ts';
import { ViewOwner } from './view-owner.ts';
import { ViewTables, type ViewTablesOptions } from './view-tables.ts';

export interface ViewProjectorOptions
  extends Pick<ProjectorOptions, 'onTrouble' | 'limits'>,
    Omit<ViewTablesOptions, 'onRebuild' | 'owner'>,
    Partial<Pick<ViewTablesOptions, 'onRebuild' | 'owner'>> {
  /** Called after each transaction while catching up, with totals of all partitions. */
  readonly onProgress?: (progress: ProjectorProgress) => void;
}

export class ViewProjector {
  readonly #projectors: readonly Projector[];
  readonly #watch: TableWatch;

  constructor({
    sql,
    schema,
    foldHash,
    lease,
    sources,
    owner = new ViewOwner({ sql, sources }),
    onRebuild = () => undefined,
    onProgress,
    ...rest
  }: ViewProjectorOptions) {
    const tables = new ViewTables({ sql, schema, sources, owner, onRebuild, lease, ...(foldHash && { foldHash }) });
    const onMoved = onProgress && (() => onProgress({ cursor: sum(this.cursors), target: sum(targets) }));
    const targets = sources.map(({ lastSeq }) => lastSeq);
    this.#projectors = sources.map((source, index) => {
      const target = new ViewDatabase(tables, index);
      return new Projector({ ...rest, source, target, ...(onMoved && { onProgress: onMoved }) });
    });
    tables.onRebuilt((by) => {
      for (const [index, projector] of this.#projectors.entries()) if (index !== by) projector.reopen();
    });
    this.#watch = new TableWatch(
      () => tables.isIntact(this.cursors),
      () => {
        for (const projector of this.#projectors) projector.reopen();
      },
    );
  }

  /**
   * Resolves when the view has reached the journal's end as of the call; if the database is unreachable, once it has
   * recovered.
   */
  async start(): Promise<void> {
    await Promise.all(this.#projectors.map((projector) => projector.start()));
    this.#watch.start();
  }

  /** Last committed sequence of each partition. */
  get cursors(): readonly number[] {
    return this.#projectors.map(({ cursor }) => cursor);
  }

  /** Records that are durable but not yet in the view. */
  get lag(): number {
    return sum(this.#projectors.map(({ lag }) => lag));
  }

  /** Whether the last statement to the database succeeded. */
  get isUp(): boolean {
    return this.#projectors.every(({ isUp }) => isUp);
  }

  /** True once the view shows these sequences, one per partition; false after `timeoutMs`. */
  async waitFor(seqs: readonly number[], timeoutMs: number): Promise<boolean> {
    const reached = await Promise.all(
      this.#projectors.map((projector, index) => projector.waitFor(seqs[index] ?? 0, timeoutMs)),
    );
    return reached.every(Boolean);
  }

  async close(): Promise<void> {
    await this.#watch.close();
    await Promise.all(this.#projectors.map((projector) => projector.close()));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
