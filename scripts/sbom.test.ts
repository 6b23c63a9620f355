// Tests that the bill of materials lists what is shipped, is reproducible, and has only licences that we may ship.
import { expect, it } from 'vitest';
import { keepShipped, readBill } from './sbom.ts';

const shipped = keepShipped(readBill());
/** Permissive licences, and that of the typeface. */
const ALLOWED = /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|OFL-1\.1|Unlicense|CC0-1\.0)( OR [\w.-]+)*\)?$/;

it('names packages that programs and the page are made of, and none for development', () => {
  const names = shipped.components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));
  for (const name of ['viem', 'react', '%40nomicfoundation/edr', 'lightweight-charts', 'postgres'])
    expect(names).toContain(`pkg:npm/${name}`);
  for (const name of ['vitest', 'typescript', '%40biomejs/biome', 'solc'])
    expect(names).not.toContain(`pkg:npm/${name}`);
});

it('says nothing of the machine and the moment it was made', () => {
  expect(shipped.metadata.component.name).toBe('presage');
  expect(shipped).not.toHaveProperty('serialNumber');
  expect(JSON.stringify(shipped)).not.toMatch(/registry\.|file:|\/tmp\//);
});

it('has only licences that may be shipped', () => {
  const licences = shipped.components.map(({ name, licenses: [first] = [] }) => {
    return [name, first?.license?.id ?? first?.license?.name ?? first?.expression ?? 'none'] as const;
  });
  expect(licences.filter(([, licence]) => !ALLOWED.test(licence))).toEqual([]);
});
