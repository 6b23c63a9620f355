// The generated files are what the sources give.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLongRun } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import * as bytecode from '../generated/bytecode.ts';
import { type GeneratedHashes, HASHES, hashesOf, renderGenerated } from '../scripts/generate.ts';
import { World } from './world.ts';

const folder = join(import.meta.dirname, '../generated');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const names = readdirSync(folder).filter((name) => name !== HASHES);

describe('contracts/generated', () => {
  const stored = JSON.parse(read(HASHES)) as GeneratedHashes;
  const now = hashesOf(Object.fromEntries(names.map((name) => [name, read(name)])));

  it('was made from these sources, with these settings, by this compiler', () => {
    expect(now.input, 'run npm run gen').toBe(stored.input);
  });

  it.each([...new Set([...names, ...Object.keys(stored.files)])])('holds %s as it was generated', (name) => {
    expect(now.files[name], 'run npm run gen').toBe(stored.files[name]);
  });

  // Compiling takes longer than all other tests of the contracts together; `npm run check` does it every time.
  it.runIf(isLongRun)(
    'is what the compiler gives',
    () => {
      const rendered = renderGenerated();
      const stale = Object.keys(rendered).filter((name) => read(name) !== rendered[name]);
      expect(stale, 'run npm run gen').toEqual([]);
    },
    3_600_000,
  );

  it.each(Object.entries(bytecode))('keeps %s within the size that a chain accepts', (_name, code) => {
    // EIP-3860 bounds creation code at 48 KiB; EIP-170 bounds what it leaves behind at half of that.
    const isSettlement = code === bytecode.presageSettlementBytecode;
    expect((code.length - 2) / 2).toBeLessThanOrEqual(isSettlement ? 49_152 : 24_576);
  });

  it('has a settlement whose code, without what creates it, a chain accepts', async () => {
    const { chain, settlement } = await World.open();
    const code = await chain.client.getCode({ address: settlement });
    expect((code!.length - 2) / 2).toBeLessThanOrEqual(24_576);
  });
});
