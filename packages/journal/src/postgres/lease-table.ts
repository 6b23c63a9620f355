// Who owns which partition of a shared journal: the table of leases as everybody may read it.
import { createTables } from './create-tables.ts';
import type { JournalDatabase } from './database.ts';
import { READ_LEASES, TABLES } from './statements.ts';

export interface LeaseHolder {
  readonly partition: string;
  readonly address: string;
  readonly epoch: number;
  /** For how long, unless it is renewed or given up; 0 once it has run out: then it is anybody's. */
  readonly heldMs: number;
}

interface LeaseRow {
  readonly part: string;
  readonly address: string;
  readonly epoch: string;
  readonly held_ms: number;
}

export async function readLeases(database: JournalDatabase): Promise<LeaseHolder[]> {
  const rows = await database.query<LeaseRow>(READ_LEASES, []);
  return rows.map(({ part, address, epoch, held_ms }) => ({
    partition: part,
    address,
    epoch: Number(epoch),
    heldMs: held_ms,
  }));
}

/** For a node that comes before the first owner. */
export async function createJournalTables(database: JournalDatabase): Promise<void> {
  await createTables(database, TABLES);
}
