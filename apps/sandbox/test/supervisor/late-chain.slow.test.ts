// A service on two chains of which one is unreachable at the start, the first one and a later one: it joins when it answers.
import { join } from 'node:path';
import {
  type ChainProcess,
  openChainProcess,
  openSandbox,
  type SandboxProcess,
  TestClient,
  waitFor,
  walletOf,
} from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployContracts } from '../../src/deployer/deploy-contracts.ts';
import { type StartedChain, writeChainsFile } from '../../src/supervisor/chains-file.ts';
import { makeFolder } from './sandbox-run.ts';

const FIRST = 31337;
const SECOND = 31338;
const [alice, bob] = [walletOf('late chain alice'), walletOf('late chain bob')];

let folder: string;
let environment: Record<string, string>;
let service: SandboxProcess | undefined;
const chains = new Map<number, ChainProcess>();
const cleanups: (() => Promise<void>)[] = [];

interface Market {
  readonly id: `0x${string}`;
  readonly question: string;
}

/** On the port that it had before. */
async function startChain(chainId: number): Promise<ChainProcess> {
  const port = Number(new URL(chains.get(chainId)?.url ?? 'http://127.0.0.1:0').port);
  const chain = await openChainProcess({ chainId, port, dataDir: join(folder, `chain-${chainId}`) });
  chains.set(chainId, chain);
  return chain;
}

async function deploy(chainId: number): Promise<StartedChain> {
  const { url: rpcUrl } = await startChain(chainId);
  return { rpcUrl, deployment: await deployContracts({ rpcUrl, salt: BigInt(chainId - FIRST) }) };
}

beforeAll(async () => {
  folder = await makeFolder(undefined, (cleanup) => cleanups.push(cleanup));
  const started = [await deploy(FIRST), await deploy(SECOND)];
  environment = { PRESAGE_CHAINS: await writeChainsFile(folder, started, 'unproven'), PRESAGE_QUICK_ASSETS: 'off' };
});
afterAll(async () => {
  await service?.discard();
  for (const chain of chains.values()) await chain.kill();
  for (const cleanup of cleanups) await cleanup();
});

async function servedChains(url: string): Promise<number[]> {
  const config = (await (await fetch(`${url}/api/v1/config`)).json()) as { chains: { chainId: number }[] };
  return config.chains.map(({ chainId }) => chainId);
}

async function seededMarket(client: TestClient): Promise<Market> {
  return waitFor('a market is listed', async () => {
    const path = `/api/v1/markets?chain_id=${client.domain.chainId}`;
    return (await client.read<{ markets: Market[] }>(path)).markets[0];
  });
}

async function trade(client: TestClient, market: Market): Promise<void> {
  await client.order(alice, { market: market.id, side: 'sell', price: '0.4', size: '5' });
  expect(await client.order(bob, { market: market.id, side: 'buy', price: '0.4', size: '5' })).toMatchObject({
    matches: 1,
  });
}

function statusesOf(client: TestClient, market: Market): Promise<string[]> {
  return client
    .read<{ trades: { status: string }[] }>(`/api/v1/trades/${market.id}`)
    .then(({ trades }) => trades.map(({ status }) => status));
}

async function settled(client: TestClient, market: Market): Promise<void> {
  await waitFor('all trades are confirmed', async () => {
    return (await statusesOf(client, market)).every((status) => status === 'confirmed');
  });
}

describe('a chain that is unreachable', () => {
  let markets: [Market, Market];
  let clients: [TestClient, TestClient];

  it('at its first start keeps nobody else waiting, and joins when it answers', async () => {
    await chains.get(SECOND)!.kill();
    service = await openSandbox({ isNew: true, env: environment });
    const { url } = service;
    expect(await servedChains(url)).toEqual([FIRST]);
    const one = await TestClient.open(url, FIRST);
    expect(await one.read('/ready')).toEqual({ status: 'ready', degraded: [`chain ${SECOND}`] });
    expect(await one.read('/api/v1/status')).toMatchObject({
      dependencies: { chain: { up: false } },
      chains: [
        { chainId: FIRST, up: true },
        { chainId: SECOND, up: false, block: 0, relayer: null },
      ],
    });
    const first = await seededMarket(one);
    await trade(one, first);
    await settled(one, first);

    await startChain(SECOND);
    await waitFor('it has joined', async () => (await servedChains(url)).length === 2);
    const two = await TestClient.open(url, SECOND);
    const second = await seededMarket(two);
    await trade(two, second);
    await settled(two, second);
    expect(await one.read<string>('/metrics')).toContain(`presage_settlement_waiting{chain="${SECOND}"} 0`);
    markets = [first, second];
    clients = [one, two];
  });

  it('at a later start takes orders, which settle when it is back', async () => {
    const { dataDir } = service!;
    await service!.stop();
    await chains.get(SECOND)!.kill();
    service = await openSandbox({ env: environment, dataDir });
    const { url } = service;
    expect(await servedChains(url)).toEqual([FIRST, SECOND]);
    const [one, two] = [clients[0].at(url), clients[1].at(url)];
    expect(await one.read('/ready')).toEqual({ status: 'ready', degraded: [`chain ${SECOND}`] });
    const [first, second] = markets;
    await trade(two, second);
    await trade(one, first);
    await settled(one, first);
    expect(await statusesOf(two, second)).toEqual(['pending', 'confirmed']);
    await startChain(SECOND);
    await settled(two, second);
  });
});
