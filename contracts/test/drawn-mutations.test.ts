// Faults of the contracts, drawn from the syntax tree and named: they fit the sources, and a seed always draws the same.
import { expect, it } from 'vitest';
import { settings, standardInputOf } from '../scripts/compile.ts';
import { allFaults, drawFaults } from '../scripts/drawn-mutations.ts';
import { applyTo } from '../scripts/mutation-verdict.ts';
import { mutations } from '../scripts/mutations.ts';

it('each changes one place of the contracts, in every kind of file, and a seed draws the same again', () => {
  const input = standardInputOf('src', settings.mutations);
  const faults = allFaults(input);
  const drawn = drawFaults(faults, 300, 7);
  expect(drawn).toHaveLength(300);
  for (const fault of drawn) expect(applyTo(fault, input)).not.toEqual(input);
  const folders = new Set(drawn.map(({ file }) => file.split('/')[0]));
  expect([...folders].sort()).toEqual(['governance', 'libraries', 'markets', 'oracle', 'settlement', 'tokens']);
  expect(drawFaults(faults, 300, 7)).toEqual(drawn);
  expect(drawFaults(faults, 300, 8)).not.toEqual(drawn);
});

it('named faults each change one place of the contracts', () => {
  const input = standardInputOf('src', settings.mutations);
  for (const mutation of mutations) expect(applyTo(mutation, input), mutation.name).not.toEqual(input);
});
