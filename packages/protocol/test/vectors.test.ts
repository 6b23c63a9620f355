// The committed vectors are what their generator makes today.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeVectors } from '../scripts/generate-vectors.ts';

it('vectors/ is up to date with its generator', async () => {
  for (const [name, data] of Object.entries(await makeVectors())) {
    const committed = JSON.parse(readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8'));
    expect(committed).toEqual(JSON.parse(JSON.stringify(data)));
  }
});
