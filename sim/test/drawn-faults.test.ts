// Tests of drawn faults: each changes one place, every folder has some, and a seed always draws the same.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allFaults, drawFaults, ROOMS, roomOf } from '../mutations/drawn-faults.ts';

const sourceOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('drawn faults each change one place of the service, of every room alike, and a seed draws the same again', () => {
  const faults = allFaults();
  const drawn = drawFaults(faults, 100, 7);
  expect(drawn).toHaveLength(100);
  for (const { file, find, replace } of drawn) {
    expect(sourceOf(file).split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  }
  for (const room of ROOMS) expect(drawn.filter((fault) => roomOf(fault) === room)).toHaveLength(20);
  expect(drawFaults(faults, 100, 7)).toEqual(drawn);
  expect(drawFaults(faults, 100, 8)).not.toEqual(drawn);
});
