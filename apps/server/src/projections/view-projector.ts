// The projectors of the view: one for each partition of markets, which together keep the tables of the read models up with them.
import { Projector, type ProjectorOptions, type ProjectorProgress } from './projector.ts';
import { TableWatch } from './table-watch.ts';
import { ViewDatabase } from './view-database.ts';
import { ViewOwner } from './view-owner.ts';
import { ViewTables, type ViewTablesOptions } from './view-tables.ts';

export interface ViewProjectorOptions
  extends Pick<ProjectorOptions, 'onTrouble' | 'limits'>,
    Omit<ViewTablesOptions, 'onRebuild' | 'owner'>,
    Partial<Pick<ViewTablesOptions, 'onRebuild' | 'owner'>> {
  /** After each transaction while catching up: over all partitions. */
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

  /** Resolves when the view has reached what was the journal's end; with the database unreachable, when it has come back. */
  async start(): Promise<void> {
    await Promise.all(this.#projectors.map((projector) => projector.start()));
    this.#watch.start();
  }

  /** Last sequence of each partition whose rows are committed. */
  get cursors(): readonly number[] {
    return this.#projectors.map(({ cursor }) => cursor);
  }

  /** Records that are durable but not yet in the view. */
  get lag(): number {
    return sum(this.#projectors.map(({ lag }) => lag));
  }

  /** Whether the database did what it was last asked for. */
  get isUp(): boolean {
    return this.#projectors.every(({ isUp }) => isUp);
  }

  /** True once the view shows these sequences, one of each partition; false when that takes longer than `timeoutMs`. */
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
