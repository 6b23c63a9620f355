// `npm run cluster`: two gateways, two engines, a settler with its private chain and PostgreSQL with a synchronous standby, behind a small balancer.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseArguments } from '@presage/runtime/node';
import { openSandbox, PostgresPair, ServiceNode, waitFor } from '@presage/testkit';
import { TcpBalancer } from './tcp-balancer.ts';

refuseArguments();
const PORT = Number(process.env.PRESAGE_PORT ?? 8080);
const PARTITIONS = 8;
const say = (line: string) => process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), 'presage-cluster-'));
const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
let isClosing = false;
const close = async () => {
  if (isClosing) return;
  isClosing = true;
  for (const step of closing.reverse()) await step().catch((error: unknown) => say(String(error)));
};
process.once('SIGINT', () => void close());
process.once('SIGTERM', () => void close());

try {
  await start();
} catch (error) {
  await close();
  throw error;
}

async function start(): Promise<void> {
  say('starting PostgreSQL and its standby');
  const database = await PostgresPair.open();
  closing.push(() => database.close());
  await database.primary.query('create database view');
  const settings = {
    PRESAGE_JOURNAL_URL: database.url,
    // One view for all nodes, on the same database servers: one of the nodes writes it.
    PRESAGE_DATABASE_URL: database.url.replace(/\/\w+$/, '/view'),
    PRESAGE_PARTITIONS: String(PARTITIONS),
    PRESAGE_RECEIPT_KEY: '11'.repeat(32),
    PRESAGE_CLUSTER_SECRET: 'only for this machine',
  };
  const startNode = async (name: string, own: Record<string, string>) => {
    const node = await ServiceNode.start({ folder, name, settings: { ...settings, ...own } });
    closing.push(() => node.end());
    return node;
  };
  say('starting two engines and the settler with its chain');
  for (const name of ['engine-1', 'engine-2']) await startNode(name, { PRESAGE_ROLES: 'engine' });
  const settler = await openSandbox({ isNew: true, env: { ...settings, PRESAGE_ROLES: 'settler' } });
  closing.push(() => settler.discard());
  say('starting two gateways');
  const chains = { PRESAGE_ROLES: 'gateway', PRESAGE_CHAINS: join(settler.dataDir, 'chains.json') };
  const gateways = await Promise.all(['gateway-1', 'gateway-2'].map((name) => startNode(name, chains)));
  for (const gateway of gateways)
    await waitFor(`${gateway.name} is ready`, () => gateway.isReady(), { timeoutMs: 120_000 });
  const balancer = new TcpBalancer(gateways.map(({ url }) => url));
  closing.push(() => balancer.close());
  await balancer.listen(PORT);
  say(`the page and the API: http://127.0.0.1:${PORT}, through ${gateways.map(({ url }) => url).join(' and ')}`);
  say(`who owns what: npx presage cluster status --journal-url ${database.primary.url}`);
  say('everything is thrown away when it is stopped with Ctrl-C');
}
