// The projector of the view: it keeps the tables of the read models up with the markets' partition.
import { Projector, type ProjectorOptions } from './projector.ts';
import { ViewDatabase, type ViewDatabaseOptions } from './view-database.ts';

export interface ViewProjectorOptions
  extends Omit<ProjectorOptions, 'target'>,
    Omit<ViewDatabaseOptions, 'onRebuild'>,
    Partial<Pick<ViewDatabaseOptions, 'onRebuild'>> {}

export function createViewProjector(options: ViewProjectorOptions): Projector {
  const { sql, schema, foldHash, onRebuild = () => undefined, ...rest } = options;
  const { source } = rest;
  const target = new ViewDatabase({ sql, schema, source, onRebuild, ...(foldHash && { foldHash }) });
  return new Projector({ ...rest, target });
}
