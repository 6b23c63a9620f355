// Opens the database together with the tables that the view has in it.
import { type Database, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
import { loadViewSchema, type ViewSchema } from './schema.ts';

export interface Store extends Database {
  readonly schema: ViewSchema;
}

export async function openStore(options: OpenDatabaseOptions): Promise<Store> {
  return { ...(await openDatabase(options)), schema: loadViewSchema() };
}
