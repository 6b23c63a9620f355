// Creates tables that may be there, also while other nodes do the same at their first start.
import type { JournalDatabase } from './database.ts';

/** `if not exists` looks first and creates then: of two at the same time one may fail with any of these, and finds the table when it looks again. */
const MADE_MEANWHILE = new Set(['23505', '42710', '42P07']);
const TRIES = 5;

export async function createTables(database: JournalDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await create(database, statement);
}

async function create(database: JournalDatabase, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.query(statement, []);
      return;
    } catch (error) {
      if (tries === TRIES || !MADE_MEANWHILE.has(codeOf(error))) throw error;
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
