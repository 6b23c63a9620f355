// A table as comma-separated text, and its way into the visitor's downloads.
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  return `${rows.map((row) => row.map((cell) => quoted(String(cell))).join(',')).join('\r\n')}\r\n`;
}

/** A question that begins like a formula must not become one in a spreadsheet. */
function quoted(text: string): string {
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
