// The contracts of a data folder stay the same from its first start on, or the start is refused.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, shareChain, startChain } from '../../../../packages/devchain/test/chain-client.ts';
import { placeOf } from '../../src/supervisor/chains-file.ts';
import { openContracts } from '../../src/supervisor/contracts-step.ts';
import { makeFolder } from './sandbox-run.ts';

describe('the contracts of a data folder', () => {
  const chain = shareChain();

  it('are deployed once and found again, even where today other addresses would be taken', async () => {
    const dataDir = await makeFolder();
    const steps: string[] = [];
    const options = {
      place: placeOf(dataDir, 31337),
      rpcUrl: chain.url,
      onProgress: (step: string) => steps.push(step),
    };
    const first = await openContracts(options);
    expect(first.isNew).toBe(true);
    expect(steps).toContain('deploy settlement');
    const sent = steps.length;
    expect(await openContracts(options)).toEqual({ ...first, isNew: false });

    const file = join(dataDir, 'deployment.json');
    const { settlement, marketFactory } = first.deployment;
    await writeFile(file, (await readFile(file, 'utf8')).replace(settlement, marketFactory));
    expect((await openContracts(options)).deployment.settlement).toBe(marketFactory);
    expect(steps).toHaveLength(sent);
  });

  it('are found without the file when a start was interrupted before it was written', async () => {
    const dataDir = await makeFolder();
    const options = { place: placeOf(dataDir, 31337), rpcUrl: chain.url, onProgress: () => undefined };
    const { deployment } = await openContracts(options);
    await rm(join(dataDir, 'deployment.json'));
    expect((await openContracts(options)).deployment).toEqual(deployment);
  });

  it('must be on the chain: a folder whose chain was removed is refused', async () => {
    const dataDir = await makeFolder();
    const { deployment } = await openContracts({
      place: placeOf(dataDir, 31337),
      rpcUrl: chain.url,
      onProgress: () => undefined,
    });
    const empty = await startChain();
    const before = await ask(empty.url, 'eth_blockNumber');
    await expect(
      openContracts({ place: placeOf(dataDir, 31337), rpcUrl: empty.url, onProgress: () => undefined }),
    ).rejects.toThrow(`no contract at ${deployment.settlement}`);
    expect(await ask(empty.url, 'eth_blockNumber')).toBe(before);
  });

  it('are refused where an older Presage deployed them, with what to do', async () => {
    const dataDir = await makeFolder();
    const options = { place: placeOf(dataDir, 31337), rpcUrl: chain.url, onProgress: () => undefined };
    await openContracts(options);
    const file = join(dataDir, 'deployment.json');
    const { version: _new, ...older } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify(older));
    await expect(openContracts(options)).rejects.toThrow(/of version 1.*Move .* away to begin anew/);
  });

  it('are not guessed from a file that cannot be read', async () => {
    const dataDir = await makeFolder();
    await writeFile(join(dataDir, 'deployment.json'), '{"settlement":');
    await expect(
      openContracts({ place: placeOf(dataDir, 31337), rpcUrl: chain.url, onProgress: () => undefined }),
    ).rejects.toThrow(/deployment\.json cannot be read/);
  });
});
