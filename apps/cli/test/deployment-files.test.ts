// Files of a deployment: a later run keeps what an operator has written.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeploymentFiles } from '../src/deploy/deployment-files.ts';

type Entry = Parameters<DeploymentFiles['writeChains']>[0];

// Only these fields are looked at.
const ENTRY = { chainId: 7, name: 'Seven', rpcUrls: ['http://a'], settlerKey: 'env:SETTLER_KEY' } as Entry;

let dir: string;
let files: DeploymentFiles;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'presage-deployment-'));
  files = new DeploymentFiles(dir);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function readChains(): Promise<object[]> {
  return (JSON.parse(await readFile(files.chainsFile, 'utf8')) as { chains: object[] }).chains;
}

describe('the chains file that is written again', () => {
  it('keeps what only its operator can have written, and other chains', async () => {
    const added = { minOrderSize: 5, batchesInFlight: 2, simulation: 'unproven', rpcUrls: ['http://a', 'http://b'] };
    const other = { chainId: 8, name: 'Eight', confirmations: 3 };
    const edited = { ...ENTRY, ...added, treasury: '0x01', name: 'Old name' };
    await writeFile(files.chainsFile, JSON.stringify({ chains: [other, edited] }));
    await files.writeChains(ENTRY);
    expect(await readChains()).toEqual([other, { ...ENTRY, ...added }]);
  });

  it('has the nodes of the deployment where it lacks one of them', async () => {
    await files.writeChains(ENTRY);
    await files.writeChains({ ...ENTRY, rpcUrls: ['http://c'] });
    expect(await readChains()).toEqual([{ ...ENTRY, rpcUrls: ['http://c'] }]);
  });
});
