// Formats rows and labelled facts as aligned text.
import { stripVTControlCharacters } from 'node:util';
import type picocolors from 'picocolors';

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => string;
  /** Right-aligned, for numbers. */
  readonly isFigure?: boolean;
}

export interface Table<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Printed instead of an empty table. */
  readonly empty: string;
}

export function drawTable<T>({ columns, rows, empty }: Table<T>, colors: Colors): string {
  if (rows.length === 0) return colors.dim(empty);
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => lengthOf(row[at]!))));
  const draw = (row: readonly string[]) =>
    row
      .map((text, at) => pad(text, widths[at]!, columns[at]!.isFigure === true))
      .join('  ')
      .trimEnd();
  return [colors.dim(draw(columns.map(({ title }) => title))), ...cells.map(draw)].join('\n');
}

/** Formats one fact a line, with aligned labels. */
export function drawFacts(facts: Readonly<Record<string, string>>, colors: Colors): string {
  const width = Math.max(...Object.keys(facts).map((label) => label.length));
  return Object.entries(facts)
    .map(([label, text]) => `${colors.dim(label.padEnd(width))}  ${text}`)
    .join('\n');
}

function pad(text: string, width: number, isFigure: boolean): string {
  const space = ' '.repeat(Math.max(0, width - lengthOf(text)));
  return isFigure ? space + text : text + space;
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
