// Generates the text of an export, part by part, as CSV or as JSON lines.
import { stringifyJson, toCsvLine } from '@presage/protocol';
import type { Dataset, ExportTerms } from './datasets.ts';
import type { ExportLine } from './export-lines.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

interface ExportOrder extends ExportTerms {
  readonly format: ExportFormat;
  readonly after: string | undefined;
}

/** Yields one part per page; reads the next page when the reader has taken this one. CSV begins with the column names. */
export async function* exportText(
  { fields, pages }: Dataset,
  { format, after, ...terms }: ExportOrder,
): AsyncGenerator<string> {
  const write =
    format === 'csv' ? (line: ExportLine) => toCsvLine(fields.map((name) => line[name] ?? null)) : toJsonLine;
  let head = format === 'csv' ? toCsvLine(fields) : '';
  for await (const page of pages(terms, after)) {
    const part = head + page.map(write).join('');
    head = '';
    if (part !== '') yield part;
  }
}

function toJsonLine(line: ExportLine): string {
  return `${stringifyJson(line)}\n`;
}
