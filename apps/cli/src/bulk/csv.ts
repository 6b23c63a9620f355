// Parses comma-separated values: quoted fields, doubled quotes, line breaks within quotes; reports the line on which each record begins.
import { UsageError } from '../exit-codes.ts';

export interface CsvRecord {
  /** Line of the file on which the record begins, counted from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

const FIELD = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;

export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let [at, line] = [0, 1];
  while (at < source.length) {
    const fields: string[] = [];
    const firstLine = line;
    for (;;) {
      FIELD.lastIndex = at;
      const [whole = '', quoted, bare = ''] = FIELD.exec(source) ?? [];
      fields.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'));
      line += whole.split('\n').length - 1;
      at += whole.length;
      if (source[at] !== ',') break;
      at++;
    }
    const end = /\r?\n|\r|$/y;
    end.lastIndex = at;
    const found = end.exec(source);
    if (found === null)
      throw new UsageError(`line ${line}: a quote is misplaced`, 'Quote the whole field, and double quotes within it.');
    at += found[0].length;
    line++;
    // A blank line is not a record.
    if (fields.length > 1 || fields[0] !== '') records.push({ line: firstLine, fields });
    if (found[0] === '') break;
  }
  return records;
}
