// `npm start`, the real thing: what it starts, what it survives, and that nothing is left of it.
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CATEGORIES } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { ask, readBlock } from '../chain-client.ts';
import { makeFolder, ORDINARY_USER, readJson, SandboxRun, untilGone } from './sandbox-run.ts';

interface MarketList {
  readonly markets: readonly { readonly marketId: string; readonly category: string }[];
}

const isRoot = process.getuid?.() === 0;
const execute = promisify(execFile);

async function listMarkets({ url }: SandboxRun): Promise<MarketList['markets']> {
  return (await readJson<MarketList>(`${url}/api/v1/markets`)).markets;
}

/** The first markets are listed in the background of a first start. */
async function awaitMarkets(run: SandboxRun): Promise<string[]> {
  const countCategories = async () => new Set((await listMarkets(run)).map(({ category }) => category)).size;
  await expect.poll(countCategories, { timeout: 60_000 }).toBe(CATEGORIES.length);
  return listMarketIds(run);
}

async function listMarketIds(run: SandboxRun): Promise<string[]> {
  return (await listMarkets(run)).map(({ marketId }) => marketId);
}

async function isReady({ url }: SandboxRun): Promise<boolean> {
  return (await fetch(`${url}/ready`)).status === 200;
}

describe('a start', () => {
  it('serves markets, prints what works, ends with 0 on SIGTERM, and comes back as it was', async () => {
    const folder = await makeFolder();
    const first = await new SandboxRun({ folder }).ready();
    expect(await isReady(first)).toBe(true);
    const markets = await awaitMarkets(first);
    for (const line of first.output.match(/curl .*/g)!) {
      const { stdout } = await execute('sh', ['-c', `${line} -f`]);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
    }
    expect(first.output.match(/curl .*/g)).toHaveLength(3);
    expect((await stat(join(first.dataDir, 'chains.json'))).mode & 0o777).toBe(0o600);
    const head = await readBlock(first.rpcUrl);
    const family = await first.family();
    first.signal('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    await untilGone(family);
    expect(await first.processes()).toEqual([]);

    const second = await new SandboxRun({ folder }).ready();
    expect(second.output).toMatch(/contracts\s+as before/);
    expect(await listMarketIds(second)).toEqual(expect.arrayContaining(markets));
    expect(await readBlock(second.rpcUrl, head.number)).toEqual(head);
  });

  it('works for an ordinary user in a folder that is closed to everybody else', async () => {
    if (!isRoot) return expect(process.getuid?.()).not.toBe(0);
    const folder = await makeFolder(ORDINARY_USER);
    const run = await new SandboxRun({ folder, uid: ORDINARY_USER, environment: { HOME: folder } }).ready();
    expect(await isReady(run)).toBe(true);
    expect((await stat(run.dataDir)).uid).toBe(ORDINARY_USER);
  });

  it('refuses a second start on the same folder and names the first, which goes on', async () => {
    const folder = await makeFolder();
    const first = await new SandboxRun({ folder }).ready();
    const second = new SandboxRun({ folder });
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output).toContain(`already runs on ${first.dataDir} as process ${first.pid}`);
    expect(await isReady(first)).toBe(true);
    expect(first.output).not.toContain('started again');
  });

  it('refuses a port that is taken before it leaves anything behind', async () => {
    const folder = await makeFolder();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const run = new SandboxRun({ folder, environment: { PRESAGE_PORT: String(port) } });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output).toMatch(
      new RegExp(`^Port ${port} on 127.0.0.1 is taken\\.[\\s\\S]*PRESAGE_PORT=\\d+ npm start\\n$`),
    );
    expect(await readdir(folder)).toEqual([]);
    server.close();
  });

  it('passes on what the service says of a wrong environment, and stops what it had started', async () => {
    const folder = await makeFolder();
    const run = new SandboxRun({ folder, environment: { PRESAGE_AUTH: 'maybe', PRESAGE_PORT: '99999' } });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output).toContain('PRESAGE_AUTH=maybe');
    expect(run.output).toContain('PRESAGE_PORT=99999');
    expect(run.output).not.toMatch(/^\s+at /m);
    expect(await run.processes()).toEqual([]);
  });

  it('starts the service alone, and no chain, when the profile is live', async () => {
    const folder = await makeFolder();
    const run = new SandboxRun({ folder, environment: { PRESAGE_PROFILE: 'live' } });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output).toContain('PRESAGE_CHAINS: name a JSON file of chains');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a running sandbox', () => {
  it('brings back a chain and a service that were killed, on their old ports', async () => {
    const run = await new SandboxRun({ folder: await makeFolder() }).ready();
    const markets = await awaitMarkets(run);
    const head = await readBlock(run.rpcUrl);
    process.kill(await run.childPid('chain'), 'SIGKILL');
    await run.until(/The chain is back/);
    expect(await readBlock(run.rpcUrl, head.number)).toEqual(head);
    await expect
      .poll(() => readJson(`${run.url}/sandbox/fund`, { address: `0x${'5a'.repeat(20)}` }), { timeout: 30_000 })
      .toMatchObject({ amount: '10000000000' });

    process.kill(await run.childPid('service'), 'SIGKILL');
    await run.until(/The service is back/);
    expect(await listMarketIds(run)).toEqual(expect.arrayContaining(markets));
    expect(run.output).toMatch(/The chain was ended by SIGKILL; it is started again\./);
    const family = await run.family();
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    await untilGone(family);
  });

  it('leaves nothing running when its supervisor is killed, and can be started again at once', async () => {
    const folder = await makeFolder();
    const first = await new SandboxRun({ folder }).ready();
    const markets = await awaitMarkets(first);
    const family = await first.family();
    first.signal('SIGKILL');
    const second = await new SandboxRun({ folder }).ready();
    await untilGone(family);
    expect(await listMarketIds(second)).toEqual(expect.arrayContaining(markets));
  });

  it('stops in order when npm lets a signal end at the shell between them', async () => {
    const run = await new SandboxRun({ folder: await makeFolder(), isUnderNpm: true }).ready();
    const family = await run.family();
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: null, signal: 'SIGTERM' });
    await untilGone(family);
    expect(run.output).toMatch(/service\s+stopped[\s\S]*chain\s+stopped/);
    expect(await run.processes()).toEqual([]);
  });

  it('ends at once on a second signal', async () => {
    const run = await new SandboxRun({ folder: await makeFolder() }).ready();
    const family = await run.family();
    await ask(run.rpcUrl, 'presage_mine');
    process.kill(await run.childPid('service'), 'SIGSTOP');
    run.signal('SIGINT');
    await run.until(/Presage is stopping/);
    await new Promise((resolve) => setTimeout(resolve, 700));
    run.signal('SIGINT');
    expect(await run.ended).toEqual({ code: 1, signal: null });
    await untilGone(family);
  });
});
