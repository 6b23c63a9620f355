// Checks that every named bug is still a change of the sources: otherwise an edited text would leave its bug untried.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { applyChange } from '../bundle.ts';
import { MUTATIONS } from '../mutations/mutations.ts';

const ROOT = new URL('../../', import.meta.url);

it.each(MUTATIONS)('the text of the bug "$name" is in its file once', async (mutation) => {
  const source = await readFile(new URL(mutation.file, ROOT), 'utf8');
  expect(applyChange(mutation, source)).not.toBe(source);
});

it('no two bugs have one name', () => {
  const names = MUTATIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
