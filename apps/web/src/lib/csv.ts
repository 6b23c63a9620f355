// Rows as a file that a spreadsheet opens.
type Rows = readonly (readonly (string | number)[])[];

export function saveCsv(name: string, rows: Rows): void {
  download(name, `${rows.map((row) => row.map((cell) => quoted(String(cell))).join(',')).join('\r\n')}\r\n`);
}

/** A question that begins like a formula must not become one in a spreadsheet. */
function quoted(text: string): string {
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
