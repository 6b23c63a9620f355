// Downloads rows as a CSV file for spreadsheets.
import { toCsvLine } from '@presage/protocol/browser';

type Rows = readonly (readonly (string | number)[])[];

export function saveCsv(name: string, rows: Rows): void {
  saveFile(name, rows.map(toCsvLine));
}

export function saveFile(name: string, parts: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
