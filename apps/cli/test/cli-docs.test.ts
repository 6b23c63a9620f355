// The documentation of the command line equals its help texts.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { renderCliDocs } from '../scripts/cli-docs.ts';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { allCommands, createProgram } from '../src/program.ts';

const silent = { env: {}, stdout: { write: () => undefined }, stderr: { write: () => undefined } };

it('docs/cli.md equals the output of --help; `npm run gen` writes it', async () => {
  const docs = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  expect(docs).toBe(renderCliDocs());
  for (const command of allCommands(createProgram(silent))) expect(docs).toContain(command.helpInformation().trimEnd());
});

it('exit codes are all different', () => {
  const codes = Object.values(EXIT_CODES).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});
