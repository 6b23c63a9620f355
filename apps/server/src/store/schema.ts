// The tables of the view as text, with the hash that a database built by another version is known by.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface ViewSchema {
  /** Statements that make everything anew; the schema they make is `presage_view`. */
  readonly sql: string;
  readonly hash: string;
  readonly tables: readonly string[];
}

export function loadViewSchema(): ViewSchema {
  const sql = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');
  const hash = createHash('sha256').update(sql).digest('hex');
  const tables = [...sql.matchAll(/^create table presage_view\.(\w+)/gm)].map((match) => match[1]!);
  return { sql, hash, tables };
}
