// A whole cluster for a test: PostgreSQL with a synchronous standby, engines, a settler with its private chain, and gateways in front.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresPair, ServiceNode, type TestClient, waitFor } from '@presage/testkit';
import { Exchange } from '../e2e/exchange.ts';

export interface TestClusterOptions {
  readonly engines: number;
  readonly gateways: number;
  readonly partitions: number;
  readonly leaseSeconds: number;
}

export class TestCluster {
  readonly database: PostgresPair;
  readonly engines: readonly ServiceNode[];
  readonly gateways: readonly ServiceNode[];
  /** The settler, with the sandbox's controls and its chain. */
  readonly settler: Exchange;
  readonly settings: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly #all: ServiceNode[];

  private constructor(
    parts: Pick<TestCluster, 'database' | 'engines' | 'gateways' | 'settler' | 'settings' | 'folder'>,
  ) {
    this.database = parts.database;
    this.engines = parts.engines;
    this.gateways = parts.gateways;
    this.settler = parts.settler;
    this.settings = parts.settings;
    this.folder = parts.folder;
    this.#all = [...parts.engines, ...parts.gateways];
  }

  static async open({ engines, gateways, partitions, leaseSeconds }: TestClusterOptions): Promise<TestCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'presage-cluster-'));
    const database = await PostgresPair.open();
    const settings = {
      PRESAGE_JOURNAL_URL: database.url,
      PRESAGE_LEASE_SECONDS: String(leaseSeconds),
      PRESAGE_PARTITIONS: String(partitions),
      PRESAGE_RECEIPT_KEY: '11'.repeat(32),
      PRESAGE_CLUSTER_SECRET: 'the secret of a test',
    };
    const start = (role: string, name: string, more: Record<string, string> = {}) =>
      ServiceNode.start({ folder, name, settings: { ...settings, PRESAGE_ROLES: role, ...more } });
    const deciding = await Promise.all(range(engines).map((index) => start('engine', `engine-${index}`)));
    const settler = await Exchange.open({ isNew: true, env: { ...settings, PRESAGE_ROLES: 'settler' } });
    const chains = { PRESAGE_CHAINS: join(settler.sandbox.dataDir, 'chains.json') };
    const answering = await Promise.all(range(gateways).map((index) => start('gateway', `gateway-${index}`, chains)));
    const cluster = new TestCluster({ folder, database, settings, settler, engines: deciding, gateways: answering });
    for (const node of cluster.#all)
      await waitFor(`${node.name} is ready`, () => node.isReady(), { timeoutMs: 110_000 });
    return cluster;
  }

  /** As a trader comes, through one of the gateways. */
  client(index: number): TestClient {
    return this.settler.client.at((this.gateways[index] as ServiceNode).url);
  }

  /** Another engine beside them. */
  async addEngine(name: string): Promise<ServiceNode> {
    const settings = { ...this.settings, PRESAGE_ROLES: 'engine' };
    const node = await ServiceNode.start({ folder: this.folder, name, settings });
    this.#all.push(node);
    await waitFor(`${name} is ready`, () => node.isReady());
    return node;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((node) => node.end()));
    await this.settler.close();
    await this.database.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
