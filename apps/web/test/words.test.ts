// The words that traders read: none that docs/words.md rules out, on the page, in the command line and in errors.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SHOWN = ['apps/web/src', 'apps/cli/src', 'packages/protocol/src/core'];

/** Rows of the tables under a heading cell, without the heading. */
function rowsUnder(heading: string): string[][] {
  const lines = readFileSync(join(ROOT, 'docs', 'words.md'), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const after = lines.slice(start + 2);
  const end = after.findIndex((line) => !line.startsWith('|'));
  return after.slice(0, end === -1 ? undefined : end).map((line) => line.split('|').map((cell) => cell.trim()));
}

const sources = SHOWN.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(ROOT, folder, file), 'utf8') })),
);

describe('the words of the trade', () => {
  it('leave out those that docs/words.md rules out', () => {
    const ruledOut = rowsUnder('Never').map(([, word = '']) => word.toLowerCase());
    expect(ruledOut.length).toBeGreaterThan(5);
    expect(sources.length).toBeGreaterThan(100);
    const found = sources.flatMap(({ file, text }) =>
      ruledOut.filter((word) => text.toLowerCase().includes(word)).map((word) => `${file}: ${word}`),
    );
    expect(found).toEqual([]);
  });

  it('are listed in order, each once', () => {
    const words = rowsUnder('Word').map(([, word = '']) => word);
    expect(words.length).toBeGreaterThan(15);
    expect(words).toEqual([...new Set(words)].toSorted());
  });
});
