// `presage cluster status` on a journal with two servers: whichever is named first, and whichever is down.
import { NodeTable, PostgresJournal } from '@presage/journal';
import { type PostgresNode, PostgresPair } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectJournal } from '../../src/journal/journal-servers.ts';
import { Presage } from './presage.ts';

interface Status {
  readonly servers: readonly { readonly server: string; readonly state: string }[];
  readonly nodes: readonly { readonly node: string }[];
  readonly partitions: readonly { readonly partition: string; readonly owner?: string }[];
}

const NODE = { address: 'http://one', linkAddress: '127.0.0.1:1', roles: ['gateway'], positions: { m0: 1 } };
let pair: PostgresPair;
let presage: Presage;

beforeAll(async () => {
  pair = await PostgresPair.open();
  presage = await Presage.open({});
  const { database, close } = connectJournal(urlOf(pair.primary));
  await (await NodeTable.open(database)).beat(NODE);
  const journal = await PostgresJournal.open({ database, partition: 'm0', address: NODE.address, leaseMs: 600_000 });
  await journal.append([new Uint8Array([1])], 1);
  // Not closed: that would give the partition up.
  await close();
});
afterAll(async () => {
  await presage?.close();
  await pair?.close();
});

function urlOf(...nodes: readonly PostgresNode[]): string {
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return pair.url.replace(/@[^/]*/, `@${hosts}`);
}

function status(...nodes: readonly PostgresNode[]): Promise<Status> {
  return presage.json<Status>('cluster', 'status', '--journal-url', urlOf(...nodes));
}

describe('the status of a cluster', () => {
  it('is the same whether the primary or its standby is named first, and says which is which', async () => {
    const [ahead, behind] = [await status(pair.primary, pair.standby), await status(pair.standby, pair.primary)];
    expect(ahead.servers.map(({ state }) => state)).toEqual(['primary', 'standby']);
    expect(behind.servers).toEqual(ahead.servers.toReversed());
    for (const { nodes, partitions } of [ahead, behind]) {
      expect(nodes.map(({ node }) => node)).toEqual([NODE.address]);
      expect(partitions).toMatchObject([{ partition: 'm0', owner: NODE.address }]);
    }
  });

  it('is read from the standby while the primary does not answer, and says that nobody takes writes', async () => {
    await pair.primary.stop();
    const { servers, partitions } = await status(pair.primary, pair.standby);
    expect(servers.map(({ state }) => state)).toEqual(['unreachable', 'standby']);
    expect(partitions).toHaveLength(1);
    const { stdout } = await presage.run('cluster', 'status', '--journal-url', urlOf(pair.primary, pair.standby));
    expect(stdout).toContain('No server accepts writes');
  });

  it('is an error that names every server where none answers', async () => {
    await pair.standby.stop();
    const url = urlOf(pair.primary, pair.standby);
    const { code, stderr } = await presage.run('cluster', 'status', '--journal-url', url);
    expect(code).not.toBe(0);
    for (const { port } of [pair.primary, pair.standby]) expect(stderr).toContain(`127.0.0.1:${port}`);
    expect(stderr).not.toContain('of-a-test');
  });
});
