// What a node knows of leases, and when it asks the database again.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { openCluster } from '../../src/cluster/open.ts';

const GATEWAYS = ['http://one', 'http://two'].map((address) => {
  return { address, link_address: '127.0.0.1:1', roles: 'gateway', positions: '{}' };
});

/** A database with two gateways and one lease, which is held for so long. */
async function openWith(leases: { heldMs: number }, role: 'engine' | 'gateway' | 'settler' = 'engine') {
  let looks = 0;
  const query = async (statement: string): Promise<readonly never[]> => {
    if (statement.includes('from cluster_nodes\n')) return GATEWAYS as never;
    if (!statement.includes('from journal_leases')) return [];
    looks++;
    return [{ part: 'm0', address: 'http://other', epoch: '1', held_ms: leases.heldMs } as never];
  };
  const cluster = (await openCluster({
    config: {
      roles: [role],
      cluster: { secret: 'the secret of a test', host: '127.0.0.1', port: 0 },
      journalUrl: 'postgres://nowhere',
      leaseSeconds: 2,
    },
    address: 'http://this',
    openDatabase: async () => ({ database: { query }, warnings: [], close: async () => undefined }),
    onWarning: () => undefined,
    receiptKey: '0x11',
  })) as Cluster;
  onTestFinished(() => cluster.close());
  return { cluster, looks: () => looks };
}

it('whoever waits for a partition asks nobody while its lease is known to hold, and at once when it may have run out', async () => {
  // Nobody looks by the clock.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const leases = { heldMs: 60_000 };
  const { cluster, looks } = await openWith(leases);
  expect(looks()).toBe(1);
  for (let time = 0; time < 20; time++) expect(await cluster.isFree('m0')).toBe(false);
  expect(looks()).toBe(1);
  // One that nobody has taken yet.
  expect(await cluster.isFree('m1')).toBe(true);
  expect(looks()).toBe(2);
  leases.heldMs = 0;
  await cluster.directory.refresh();
  expect(await cluster.isFree('m0')).toBe(true);
  // Whoever had it has renewed it in the last moment.
  leases.heldMs = 60_000;
  expect(await cluster.isFree('m0')).toBe(false);
});

it('a gateway shares the rate limits with the others, and a settler, which all of them ask, has them alone', async () => {
  const counts = { gateway: 2, settler: 1 } as const;
  for (const role of ['gateway', 'settler'] as const) {
    const { cluster } = await openWith({ heldMs: 60_000 }, role);
    expect(cluster.gatewayCount()).toBe(counts[role]);
  }
});
