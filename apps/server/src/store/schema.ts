// The schema of the view as SQL, with the hash that identifies its version.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface ViewSchema {
  /** Creates everything in schema `presage_view` except `readerIndexes`. */
  readonly sql: string;
  /** Indexes that readers need and the projector does not. */
  readonly readerIndexes: readonly ReaderIndex[];
  readonly hash: string;
  readonly tables: readonly string[];
}

interface ReaderIndex {
  readonly name: string;
  readonly statement: string;
}

const READER_INDEX = /^create (?:unique )?index if not exists (\w+) .*;$/gm;

export function loadViewSchema(): ViewSchema {
  const text = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');
  const hash = createHash('sha256').update(text).digest('hex');
  const tables = [...text.matchAll(/^create table presage_view\.(\w+)/gm)].map((match) => match[1]!);
  const readerIndexes = Array.from(text.matchAll(READER_INDEX), ([statement, name = '']) => ({ name, statement }));
  return { sql: text.replaceAll(READER_INDEX, ''), readerIndexes, hash, tables };
}
