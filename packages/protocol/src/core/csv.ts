// Lines of a CSV file (RFC 4180), safe to open in a spreadsheet: no text of a user can run as a formula.

export type CsvCell = string | number | bigint | boolean | null;

/** One line with its end; null is an empty cell. */
export function toCsvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(cell: CsvCell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? toSafeText(cell) : String(cell);
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Text that begins like a formula gets an apostrophe in front, which spreadsheets take for "this is text". Numbers are not text. */
function toSafeText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}');
  return /^[\s\u{fffd}]*[=+\-@]/u.test(visible) ? `'${visible}` : visible;
}
