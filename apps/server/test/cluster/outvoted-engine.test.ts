// An engine whose receipts have another key than those of most nodes: none of them would ask it for what it takes.
import { setTimeout as sleep } from 'node:timers/promises';
import { SILENT_LOG, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { EngineSeats } from '../../src/cluster/engine-seats.ts';
import { Link } from '../../src/cluster/link.ts';
import { openCluster } from '../../src/cluster/open.ts';

const SECRET = 'the secret of a test';
/** Several looks of a seat at a free partition. */
const LOOKS_MS = 300;
const SELF = 'http://engine';

/** An engine and a database in which every partition is free; `others` are the nodes that live beside it. */
async function openEngine(others: { addresses: readonly string[] }) {
  let linkAddress = '';
  let takes = 0;
  const rowOf = (address: string) => ({ address, link_address: linkAddress, roles: 'gateway', positions: '{}' });
  const query = async (statement: string, parameters: readonly unknown[]): Promise<readonly never[]> => {
    if (statement.startsWith('insert into cluster_nodes')) linkAddress = String(parameters[1]);
    if (statement.startsWith('update journal_leases')) takes++;
    if (!statement.includes('from cluster_nodes\n')) return [];
    return [{ ...rowOf(SELF), roles: 'engine' }, ...others.addresses.map(rowOf)] as never;
  };
  const cluster = await openCluster({
    config: {
      roles: ['engine'],
      cluster: { secret: SECRET, host: '127.0.0.1', port: 0 },
      journalUrl: 'postgres://nowhere',
      leaseSeconds: 2,
    },
    address: SELF,
    openDatabase: async () => ({ database: { query }, warnings: [], close: async () => undefined }),
    onWarning: () => undefined,
    receiptKey: '0x11',
  });
  onTestFinished(() => cluster.close());
  const seats = new EngineSeats({
    peers: cluster,
    address: SELF,
    leaseMs: 2_000,
    dataDir: '/nowhere',
    partitions: ['m0'],
    nowMs: Date.now,
    onDecided: () => undefined,
    onControl: () => undefined,
    log: SILENT_LOG,
  });
  onTestFinished(() => seats.close());
  const callFrom = (node: string) => {
    const link = new Link({ secret: SECRET, receiptKey: '0x22', node, address: linkAddress });
    onTestFinished(() => link.close());
    return waitFor(`${node} was refused`, () => link.hasOtherKey, { timeoutMs: 10_000 });
  };
  return { cluster, seats, callFrom, takes: () => takes };
}

it('takes no free partition while most nodes refuse it, and takes it when they do not', async () => {
  const others = { addresses: ['http://one', 'http://two'] };
  const { cluster, seats, callFrom, takes } = await openEngine(others);
  await callFrom('http://one');
  expect(cluster.isOutvoted()).toBe(false);
  await callFrom('http://two');
  expect(cluster.isOutvoted()).toBe(true);
  seats.start();
  await sleep(LOOKS_MS);
  expect(takes()).toBe(0);
  // Nobody knows which of two nodes with different keys is right.
  others.addresses = ['http://one'];
  await waitFor('it tries to take the partition', () => takes() > 0, { timeoutMs: 10_000 });
});
