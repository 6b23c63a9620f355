// A live service with chains that cannot be served: the others are, each of them is named, and one that recovers joins by itself.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@presage/runtime/node';
import { createPublicClient } from '@presage/sdk';
import { ServiceNode, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessChain } from '../../../../contracts/test/in-process-chain.ts';
import { toRpc } from '../in-process-rpc.ts';
import { anHtmlPage, answerFrom, NodeStandIn, passOnTo } from '../node-stand-in.ts';
import { ForeignChain, newPerson } from './foreign-chain.ts';
import { Operator } from './live-service.ts';

const people = {
  deployer: newPerson(),
  owner: newPerson(),
  pauser: newPerson(),
  creator: newPerson(),
  settler: newPerson(),
  relayer: newPerson(),
};
const arbitrator = newPerson();
const [WELL, LATE, OLD, DEAD, OTHER] = [70_011, 70_012, 70_013, 70_014, 70_015] as const;
const SLOW = { timeoutMs: 60_000, pollMs: 200 };

let operator: Operator;
let well: ForeignChain;
let late: ForeignChain;
let lateNode: NodeStandIn;
let oldNode: NodeStandIn;
let service: ServiceNode | undefined;

interface Entry {
  readonly chainId: number;
  readonly contracts: { readonly eventFactory?: string };
}

beforeAll(async () => {
  operator = await Operator.open({
    DEPLOYER_KEY: people.deployer.key,
    SETTLER_KEY: people.settler.key,
    RELAYER_KEY: people.relayer.key,
  });
  [well, late] = await Promise.all([ForeignChain.open(WELL), ForeignChain.open(LATE)]);
  lateNode = await NodeStandIn.open(anHtmlPage);
  oldNode = await NodeStandIn.open(
    answerFrom(toRpc(await InProcessChain.open({ hardfork: 'Shanghai', chainId: OLD }))),
  );
});

afterAll(async () => {
  await service?.end();
  await operator?.close();
  for (const node of [lateNode, oldNode]) node?.close();
  await Promise.all([well?.close(), late?.close()]);
});

async function writeSettings(chainId: number, stablecoin: string): Promise<string> {
  const path = join(operator.dir, `deploy-${chainId}.json`);
  const { deployer: _, ...roles } = people;
  const named = Object.entries(roles).map(([role, { account }]) => [role, account.address]);
  const settings = {
    chainId,
    stablecoin,
    pyth: 'none',
    ...Object.fromEntries(named),
    arbitrator: arbitrator.account.address,
    settlerKey: 'env:SETTLER_KEY',
    relayerKey: 'env:RELAYER_KEY',
    confirmations: 1,
  };
  await writeFile(path, JSON.stringify(settings));
  return path;
}

function deploy(rpc: string, config: string) {
  return operator.presage(['deploy', '--rpc', rpc, '--key', 'env:DEPLOYER_KEY', '--config', config]);
}

async function writeChains(name: string, chains: readonly object[]): Promise<string> {
  const path = join(operator.dir, name);
  await writeFile(path, JSON.stringify({ chains }));
  return path;
}

async function startService(chains: string, name: string): Promise<ServiceNode> {
  const settings = {
    PRESAGE_PROFILE: 'live',
    PRESAGE_SERVICE_NAME: 'A venue with unfit chains',
    PRESAGE_CHAINS: chains,
    PRESAGE_DATABASE_URL: operator.databaseUrl,
    PRESAGE_ADMIN_PORT: String(await findFreePort()),
    PRESAGE_QUICK_ASSETS: 'off',
    PRESAGE_COINBASE_URL: 'off',
    PRESAGE_BINANCE_URL: 'off',
    SETTLER_KEY: people.settler.key,
    RELAYER_KEY: people.relayer.key,
  };
  return ServiceNode.start({ folder: operator.dir, name, settings });
}

it('leaves out what cannot be served and names it, serves the rest, and takes in what recovers', async () => {
  const old = await deploy(`http://${oldNode.host}/v2/secret`, await writeSettings(OLD, well.stablecoin));
  expect(old.code).toBe(2);
  expect(old.stderr).toContain(`chain ${OLD} at ${oldNode.host} cannot be used`);
  expect(old.stderr).toMatch(/the EVM has no MCOPY \(Cancun\): eth_call of the code 0x.* Cancun or later/s);
  for (const chain of [well, late]) {
    await chain.giveGasMoney(...Object.values(people));
    const { code, stderr } = await deploy(chain.url, await writeSettings(chain.chainId, chain.stablecoin));
    expect(code, stderr).toBe(0);
  }
  const written = JSON.parse(await readFile(join(operator.dir, 'deployment', 'chains.json'), 'utf8')) as {
    chains: [Entry, Entry];
  };
  const good = written.chains.find(({ chainId }) => chainId === WELL) as Entry;
  const recovering = written.chains.find(({ chainId }) => chainId === LATE) as Entry;
  const copyOf = (chainId: number, host: string) => {
    const marketFactory = `0x${String(chainId).padStart(40, '0')}`;
    const { eventFactory: _, ...others } = good.contracts;
    return { ...good, chainId, rpcUrls: [`http://${host}/v2/secret`], contracts: { ...others, marketFactory } };
  };
  const nowhere = `127.0.0.1:${await findFreePort()}`;
  const unfit = [copyOf(OLD, oldNode.host), copyOf(OTHER, new URL(well.url).host)];
  const chains = await writeChains('chains.json', [
    ...unfit,
    copyOf(DEAD, nowhere),
    { ...recovering, rpcUrls: [`http://${lateNode.host}/v2/secret`] },
    good,
  ]);

  service = await startService(chains, 'service');
  const node = service;
  await waitFor('the service is ready', () => node.isReady(), SLOW);
  const client = createPublicClient({ url: node.url });
  const servedNow = async () => (await client.getConfig()).chains.map(({ chainId }) => chainId);
  const degraded = async () => ((await (await fetch(`${node.url}/ready`)).json()) as { degraded: string[] }).degraded;
  expect(await servedNow()).toEqual([WELL]);
  expect(await degraded()).toEqual(expect.arrayContaining([OLD, OTHER, DEAD, LATE].map((id) => `chain ${id}`)));
  const problems = async () =>
    Object.fromEntries((await client.getStatus()).chains.map(({ chainId, problem }) => [chainId, problem?.kind]));
  expect(await problems()).toEqual({
    [OLD]: 'unfit',
    [OTHER]: 'unfit',
    [DEAD]: 'unreachable',
    [LATE]: 'unreachable',
    [WELL]: undefined,
  });
  const errors = node.said.split('\n').filter((line) => line.includes('chain left out'));
  const errorOf = (chainId: number) => errors.find((line) => line.includes(`chain ${chainId} (`));
  expect(errorOf(OLD)).toMatch(/the EVM has no MCOPY .*eth_call of the code.* Cancun or later/);
  expect(errorOf(OTHER)).toMatch(/the node is of chain 70011, not of 70015\. Correct chainId/);
  expect(errorOf(DEAD)).toMatch(/cannot be asked: RPC transport: eth_chainId\. Check that the node runs/);
  expect(errorOf(LATE)).toMatch(/cannot be asked: RPC garbage: eth_chainId answered 200 with a body that is not JSON/);
  for (const [id, host] of [
    [OLD, oldNode.host],
    [DEAD, nowhere],
    [LATE, lateNode.host],
  ] as const) {
    expect(errorOf(id)).toContain(`at ${host} `);
  }
  expect(node.said).not.toContain('secret');

  lateNode.answer = passOnTo(late.url);
  await waitFor('the chain has joined', async () => (await servedNow()).includes(LATE), SLOW);
  expect((await problems())[LATE]).toBeUndefined();
  expect(await degraded()).not.toContain(`chain ${LATE}`);

  // One that was served before and is unfit now is left out as well.
  lateNode.answer = answerFrom(toRpc(await InProcessChain.open({ chainId: LATE })));
  await node.end();
  node.restart();
  await waitFor('the service is ready again', () => node.isReady(), SLOW);
  expect([await servedNow(), (await problems())[LATE]]).toEqual([[WELL], 'unfit']);
  await node.end();

  // The doctor says the same of the file, and where no chain is left the start ends with every reason.
  const doctor = await operator.presage(['doctor', '--chains', chains]);
  expect(doctor.stdout).toContain(`the EVM has no MCOPY (Cancun)`);
  expect(doctor.stdout).toContain(`(node at ${oldNode.host})`);
  const hopeless = await startService(await writeChains('hopeless.json', unfit), 'hopeless');
  await waitFor('the service has ended', () => !hopeless.isRunning, SLOW);
  expect(hopeless.said).toMatch(/chain 70013 .* cannot be served.*MCOPY.*chain 70015 .* cannot be served/s);
});
