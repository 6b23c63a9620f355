// Deployed contracts can be verified: the metadata hash is in their bytecode, and the input holds every source it stands for.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as bytecode from '../generated/bytecode.ts';
import { settings } from '../scripts/compile.ts';
import { deployable } from '../scripts/deployable.ts';
import { toVerification, writeVerification } from '../scripts/standard-input.ts';

describe('source verification', () => {
  it.each(Object.entries(bytecode))('finds the metadata hash at the end of %s', (_name, code) => {
    // CBOR: a map of two, "ipfs" with 34 bytes and "solc" with the version 0.8.37, then its length.
    expect(code).toMatch(/a2646970667358221220[0-9a-f]{64}64736f6c63430008250033$/);
  });

  it('has a file for every contract, and every import of every file', () => {
    const { compiler, contracts, input } = toVerification();
    expect(compiler).toMatch(/^v0\.8\.37\+commit\.[0-9a-f]{8}$/);
    expect(Object.keys(contracts)).toEqual([...deployable]);
    for (const place of Object.values(contracts)) expect(input.sources[place.split(':')[0]!]).toBeDefined();
    expect(Object.keys(input.sources)).toContain('solady/src/utils/SafeTransferLib.sol');
    expect(input.settings).toEqual(settings.production);
  });

  it('names no path of the machine that wrote it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-verify-'));
    const files = writeVerification(folder);
    for (const file of files) {
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, 'utf8')).not.toContain(process.cwd());
    }
    rmSync(folder, { recursive: true });
  });
});
