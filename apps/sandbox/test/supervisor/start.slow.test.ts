// `npm start`, the real thing: what it starts, what it survives, and that nothing is left of it.
import { execFile } from 'node:child_process';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, readBlock } from '../../../../packages/devchain/test/chain-client.ts';
import {
  makeFolder,
  type OnEnd,
  ORDINARY_USER,
  type RunOptions,
  readJson,
  SandboxRun,
  untilExited,
} from './sandbox-run.ts';

interface MarketList {
  readonly markets: readonly { readonly marketId: string; readonly kind: string }[];
}

/** Four markets, and two events of five and six outcomes. */
const SEEDED_MARKETS = 15;
const isRoot = process.getuid?.() === 0;
const execute = promisify(execFile);

async function listMarkets({ url }: SandboxRun): Promise<MarketList['markets']> {
  return (await readJson<MarketList>(`${url}/api/v1/markets`)).markets;
}

/** The first markets are listed in the background of a first start. */
async function awaitMarkets(run: SandboxRun): Promise<string[]> {
  const countMarkets = async () => (await listMarkets(run)).filter(({ kind }) => kind === 'standard').length;
  await expect.poll(countMarkets, { timeout: 60_000 }).toBe(SEEDED_MARKETS);
  return listMarketIds(run);
}

async function listMarketIds(run: SandboxRun): Promise<string[]> {
  return (await listMarkets(run)).map(({ marketId }) => marketId);
}

/** Every file below the folder, by its path. */
async function readFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'base64')] as const)));
}

async function isReady({ url }: SandboxRun): Promise<boolean> {
  return (await fetch(`${url}/ready`)).status === 200;
}

describe('a start', () => {
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

  it('starts the service alone, and no chain, when the profile is live', async () => {
    const folder = await makeFolder();
    const run = new SandboxRun({ folder, environment: { PRESAGE_PROFILE: 'live' } });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output).toContain('PRESAGE_CHAINS: name the chains file');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('where npm has no PostgreSQL', () => {
  /** Hides the optional package from every process of the start, as on a platform that has none. */
  const hidden = { NODE_OPTIONS: `--require=${fileURLToPath(new URL('./hide-postgres.cjs', import.meta.url))}` };

  it('says in one sentence what to do, and leaves nothing behind', async () => {
    const folder = await makeFolder();
    const run = new SandboxRun({ folder, environment: hidden });
    expect(await run.ended).toEqual({ code: 1, signal: null });
    expect(run.output).toMatch(
      /^The embedded PostgreSQL for \S+ is not installed: [^\n]*PRESAGE_DATABASE_URL=[^\n]*\n$/,
    );
    expect(await readdir(folder)).toEqual([]);
  });
});

/** One folder, started four times: each test takes over the run that the one before it left, and says how it ends. */
describe('a sandbox of an ordinary user, on one folder that is closed to everybody else', () => {
  const cleanups: (() => Promise<void>)[] = [];
  const onEnd: OnEnd = (cleanup) => cleanups.unshift(cleanup);
  let folder: string;
  let run: SandboxRun;
  let markets: string[];
  let head: Awaited<ReturnType<typeof readBlock>>;
  const begin = (options: Partial<RunOptions> = {}) => {
    const { environment, ...others } = options;
    const user = isRoot ? { uid: ORDINARY_USER } : {};
    return new SandboxRun({ folder, onEnd, ...user, environment: { HOME: folder, ...environment }, ...others });
  };
  /** A run that a failed try left behind must not be in the way of the second try. */
  const start = async (options: Partial<RunOptions> = {}) => {
    const last = run as SandboxRun | undefined;
    last?.signal('SIGTERM');
    await last?.ended;
    return begin(options).ready();
  };

  beforeAll(async () => {
    folder = await makeFolder(isRoot ? ORDINARY_USER : undefined, onEnd);
  });
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  it('serves markets, prints what works, and ends with 0 on SIGTERM', async () => {
    run = await start();
    expect(await isReady(run)).toBe(true);
    expect(run.output).toMatch(/chain\s+new\s[\s\S]*contracts\s+deployed/);
    markets = await awaitMarkets(run);
    for (const line of run.output.match(/curl .*/g)!) {
      const { stdout } = await execute('sh', ['-c', `${line} -f`]);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
    }
    expect(run.output.match(/curl .*/g)).toHaveLength(3);
    expect((await stat(join(run.dataDir, 'chains.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(run.dataDir)).uid).not.toBe(0);
    head = await readBlock(run.rpcUrl);
    const family = await run.family();
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    await untilExited(family);
    expect(await run.processes()).toEqual([]);
  });

  it('passes on what the service says of a wrong environment, and stops what it had started', async () => {
    const wrong = begin({ environment: { PRESAGE_AUTH: 'maybe', PRESAGE_PORT: '99999' } });
    expect(await wrong.ended).toEqual({ code: 1, signal: null });
    expect(wrong.output).toContain('PRESAGE_AUTH=maybe');
    expect(wrong.output).toContain('PRESAGE_PORT=99999');
    expect(wrong.output).not.toMatch(/^\s+at /m);
    expect(await wrong.processes()).toEqual([]);
  });

  it('comes back as it was', async () => {
    run = await start();
    expect(run.output).toMatch(/chain\s+at block \d+, as before[\s\S]*contracts\s+as before/);
    expect(await listMarketIds(run)).toEqual(expect.arrayContaining(markets));
    expect(await readBlock(run.rpcUrl, head.number)).toEqual(head);
  });

  it('refuses a second start beside it and names the first, which goes on', async () => {
    const second = begin();
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output).toContain(`already runs on ${run.dataDir} as process ${run.pid}`);
    expect(await isReady(run)).toBe(true);
    expect(run.output).not.toContain('started again');
  });

  it('leaves nothing running when its supervisor is killed, and can be started again at once', async () => {
    const family = await run.family();
    run.signal('SIGKILL');
    run = await start({ isUnderNpm: true });
    await untilExited(family);
    expect(await listMarketIds(run)).toEqual(expect.arrayContaining(markets));
  });

  it('restarts a chain and a service that were killed, on their old ports', async () => {
    head = await readBlock(run.rpcUrl);
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
  });

  it('stops in order when npm lets a signal end at the shell between them', async () => {
    const family = await run.family();
    run.signal('SIGTERM');
    expect(await run.ended).toEqual({ code: null, signal: 'SIGTERM' });
    await untilExited(family);
    expect(run.output).toMatch(/service\s+stopped[\s\S]*chain\s+stopped/);
    expect(await run.processes()).toEqual([]);
  });

  it('ends at once on a second signal', async () => {
    run = await start();
    const family = await run.family();
    await ask(run.rpcUrl, 'presage_mine');
    process.kill(await run.childPid('service'), 'SIGSTOP');
    run.signal('SIGINT');
    await run.until(/Presage is stopping/);
    await new Promise((resolve) => setTimeout(resolve, 700));
    run.signal('SIGINT');
    expect(await run.ended).toEqual({ code: 1, signal: null });
    await untilExited(family);
  });

  it('refuses a folder whose chain was removed before the service has done anything with the new one', async () => {
    const [chainDir, journalDir] = [join(run.dataDir, 'chain'), join(run.dataDir, 'service', 'journal')];
    const before = await readFiles(journalDir);
    await rename(chainDir, `${chainDir}-aside`);
    const refused = begin();
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.output).toContain('bring it back, or move');
    expect(await readFiles(journalDir)).toEqual(before);
    expect(await refused.processes()).toEqual([]);
    await rm(chainDir, { recursive: true });
    await rename(`${chainDir}-aside`, chainDir);
    run = await start();
    expect(await listMarketIds(run)).toEqual(expect.arrayContaining(markets));
  });
});
