// A whole cluster for a test: PostgreSQL with a synchronous standby, engines, a settler with its private chain, and gateways in front.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@presage/runtime/node';
import { PostgresPair, ServiceNode, type TestClient, waitFor } from '@presage/testkit';
import { openJournalDatabase } from '../../src/store/journal-database.ts';
import { Exchange } from '../e2e/exchange.ts';
import { LinkRelay } from './link-relay.ts';

export interface TestClusterOptions {
  readonly engines: number;
  readonly gateways: number;
  readonly partitions: number;
  readonly leaseSeconds: number;
}

const NODE_FAULTS = new URL('node-faults.mjs', import.meta.url).href;

export class TestCluster {
  readonly database: PostgresPair;
  readonly engines: readonly ServiceNode[];
  /** One before the port for other nodes of each engine. */
  readonly relays: readonly LinkRelay[];
  /** The same for the first gateway alone, so that it can be cut off from an engine that all others reach. */
  readonly ownRelays: readonly LinkRelay[];
  readonly gateways: readonly ServiceNode[];
  /** The settler, with the sandbox's controls and its chain. */
  readonly settler: Exchange;
  readonly settings: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly #all: ServiceNode[];

  private constructor(
    parts: Pick<
      TestCluster,
      'database' | 'engines' | 'relays' | 'ownRelays' | 'gateways' | 'settler' | 'settings' | 'folder'
    >,
  ) {
    this.database = parts.database;
    this.engines = parts.engines;
    this.relays = parts.relays;
    this.ownRelays = parts.ownRelays;
    this.gateways = parts.gateways;
    this.settler = parts.settler;
    this.settings = parts.settings;
    this.folder = parts.folder;
    this.#all = [...parts.engines, ...parts.gateways];
  }

  static async open({ engines, gateways, partitions, leaseSeconds }: TestClusterOptions): Promise<TestCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'presage-cluster-'));
    const database = await PostgresPair.open();
    await database.primary.query('create database view');
    const relays: LinkRelay[] = [];
    const ownRelays: LinkRelay[] = [];
    for (const _ of range(engines)) {
      const relay = await LinkRelay.open(await findFreePort());
      relays.push(relay);
      ownRelays.push(await LinkRelay.open(relay.targetPort));
    }
    const settings = {
      NODE_OPTIONS: `--import=${NODE_FAULTS}`,
      TEST_LINK_RELAYS: toPorts(relays),
      PRESAGE_JOURNAL_URL: database.url,
      PRESAGE_DATABASE_URL: viewUrl(database),
      PRESAGE_LEASE_SECONDS: String(leaseSeconds),
      PRESAGE_PARTITIONS: String(partitions),
      PRESAGE_RECEIPT_KEY: '11'.repeat(32),
      PRESAGE_CLUSTER_SECRET: 'the secret of a test',
    };
    const start = (role: string, name: string, more: Record<string, string> = {}) =>
      ServiceNode.start({ folder, name, settings: { ...settings, PRESAGE_ROLES: role, ...more } });
    const startEngine = async ({ targetPort }: LinkRelay, index: number) => {
      const name = `engine-${index}`;
      const clock = clockFile(folder, name);
      await writeFile(clock, '0');
      return start('engine', name, { PRESAGE_CLUSTER_PORT: String(targetPort), TEST_CLOCK_FILE: clock });
    };
    const deciding = await Promise.all(relays.map(startEngine));
    const settler = await Exchange.open({ isNew: true, env: { ...settings, PRESAGE_ROLES: 'settler' } });
    const chains = { PRESAGE_CHAINS: await writeChainsWithoutKeys(folder, settler) };
    const first = { ...chains, TEST_LINK_RELAYS: toPorts(ownRelays) };
    const answering = await Promise.all(
      range(gateways).map((index) => start('gateway', `gateway-${index}`, index === 0 ? first : chains)),
    );
    const nodes = { engines: deciding, gateways: answering };
    const cluster = new TestCluster({ folder, database, settings, relays, ownRelays, settler, ...nodes });
    for (const node of cluster.#all)
      await waitFor(`${node.name} is ready`, () => node.isReady(), { timeoutMs: 280_000 });
    return cluster;
  }

  /** Every node that runs by itself; the settler that the sandbox supervises is not among them. */
  get nodes(): readonly ServiceNode[] {
    return this.#all;
  }

  /** Whether some settler answers through a gateway. */
  async isSettlerThere(): Promise<boolean> {
    const answers = await Promise.all(
      this.gateways.map(({ url }) => fetch(`${url}/api/v1/journal/anchors`).catch(() => undefined)),
    );
    return answers.every((answer) => answer?.status === 200);
  }

  /** All ways to each engine. */
  get linksByEngine(): readonly (readonly LinkRelay[])[] {
    return this.relays.map((relay, index) => [relay, this.ownRelays[index] as LinkRelay]);
  }

  /** Whoever writes the shared view is killed. */
  async killViewWriter(): Promise<void> {
    const gateway = await this.#viewWriter();
    if (gateway === undefined) this.settler.sandbox.signal('service', 'SIGKILL');
    else await gateway.end('SIGKILL');
  }

  /** Resolves with what wakes it again. */
  async pauseViewWriter(): Promise<() => void> {
    const gateway = await this.#viewWriter();
    const signal = (name: NodeJS.Signals) =>
      gateway === undefined ? this.settler.sandbox.signal('service', name) : gateway.signal(name);
    signal('SIGSTOP');
    return () => signal('SIGCONT');
  }

  /** One of the gateways; undefined where it is the settler. */
  async #viewWriter(): Promise<ServiceNode | undefined> {
    const { database, close } = await openJournalDatabase(viewUrl(this.database));
    try {
      const writer = await waitFor('somebody writes the view', async () => {
        const rows = await database.query<{ address: string }>('select address from presage_projector.lease', []);
        return rows[0]?.address;
      });
      return this.gateways.find(({ url }) => url === writer);
    } finally {
      await close();
    }
  }

  /** As a trader comes, through one of the gateways. */
  client(index: number): TestClient {
    return this.settler.client.at((this.gateways[index] as ServiceNode).url);
  }

  /** Against the clock of this machine. */
  async moveClock({ name }: ServiceNode, aheadMs: number): Promise<void> {
    await writeFile(clockFile(this.folder, name), String(aheadMs));
  }

  /** Another engine beside them. */
  async addEngine(name: string, own: Readonly<Record<string, string>> = {}): Promise<ServiceNode> {
    const node = await this.#add(name, { PRESAGE_ROLES: 'engine', ...own });
    await waitFor(`${name} is ready`, () => node.isReady());
    return node;
  }

  /** Another settler, which stands by. */
  async addSettler(name: string): Promise<ServiceNode> {
    const chains = join(this.settler.sandbox.dataDir, 'chains.json');
    const node = await this.#add(name, { PRESAGE_ROLES: 'settler', PRESAGE_CHAINS: chains });
    await waitFor(`${name} stands by`, () => node.said.includes('standing by'));
    return node;
  }

  async #add(name: string, own: Readonly<Record<string, string>>): Promise<ServiceNode> {
    const node = await ServiceNode.start({ folder: this.folder, name, settings: { ...this.settings, ...own } });
    this.#all.push(node);
    return node;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((node) => node.end()));
    await this.settler.close();
    await Promise.all([...this.relays, ...this.ownRelays].map((relay) => relay.close()));
    await this.database.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A database of its own on the servers of the journal. */
function viewUrl({ url }: PostgresPair): string {
  return url.replace(/\/\w+$/, '/view');
}

/** The settler's chains file as a gateway has it: it names keys that are not there. */
async function writeChainsWithoutKeys(folder: string, settler: Exchange): Promise<string> {
  const { chains } = JSON.parse(await readFile(join(settler.sandbox.dataDir, 'chains.json'), 'utf8'));
  const absent = { settlerKey: 'env:NO_SUCH_KEY', relayerKey: 'env:NO_SUCH_KEY' };
  const path = join(folder, 'chains-of-gateways.json');
  await writeFile(path, JSON.stringify({ chains: chains.map((chain: object) => ({ ...chain, ...absent })) }));
  return path;
}

function toPorts(relays: readonly LinkRelay[]): string {
  return JSON.stringify(Object.fromEntries(relays.map(({ port, targetPort }) => [targetPort, port])));
}

function clockFile(folder: string, name: string): string {
  return join(folder, `${name}.clock`);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
