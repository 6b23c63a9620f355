// The generated files are what the sources give.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as bytecode from '../generated/bytecode.ts';
import { renderGenerated } from '../scripts/generate.ts';

describe('contracts/generated', () => {
  const rendered = renderGenerated();

  it.each(Object.keys(rendered))('holds %s as the sources give it', (name) => {
    const stored = readFileSync(join(import.meta.dirname, '../generated', name), 'utf8');
    expect(stored === rendered[name], `run npm run gen: ${name} is stale`).toBe(true);
  });

  it.each(Object.entries(bytecode))('keeps %s within the size that a chain accepts', (_name, code) => {
    // EIP-3860 bounds creation code at 48 KiB; EIP-170 bounds what it leaves behind at half of that.
    expect((code.length - 2) / 2).toBeLessThan(24_576);
  });
});
