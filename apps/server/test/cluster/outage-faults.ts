// What an operator does to a cluster on purpose, and what happens to it by accident, each with the moment from which its outage is counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { type SeededRandom, type ServiceNode, waitFor } from '@presage/testkit';
import type { LinkRelay } from './link-relay.ts';
import type { TestCluster } from './test-cluster.ts';

export interface OutageFaultsOptions {
  readonly cluster: TestCluster;
  readonly random: SeededRandom;
  readonly leaseMs: number;
  /** The moment from which the recovery is counted. */
  readonly mark: () => void;
}

export class OutageFaults {
  /** Each resolves when everything runs again. */
  readonly all: Readonly<Record<string, () => Promise<void>>>;
  readonly #options: OutageFaultsOptions;

  constructor(options: OutageFaultsOptions) {
    this.#options = options;
    const { cluster, random } = options;
    this.all = {
      'nothing is done': () => this.#wait(),
      'an engine is restarted': () => this.#restart(random.pick(cluster.engines)),
      'both engines are restarted in turn': () => this.#restartAll(cluster.engines),
      'a gateway is restarted': () => this.#restart(random.pick(cluster.gateways)),
      'the settler is restarted': () => this.#endSettler('SIGTERM'),
      'every node is restarted in turn': () => this.#rollOver(),
      'an engine is killed': () => this.#kill([random.pick(cluster.engines)]),
      'both engines are killed': () => this.#killBoth(),
      'a gateway is killed': () => this.#kill([random.pick(cluster.gateways)]),
      'the settler is killed': () => this.#endSettler('SIGKILL'),
      'a link is cut': () => this.#breakLinks('cut'),
      'a link is silent': () => this.#breakLinks('silence'),
      'the database fails over': () => this.#failOver(),
      'the database stands still': () => this.#stall(),
      'the standby is away': () => this.#loseStandby(),
    };
  }

  /** What the machine itself and the load come to. */
  async #wait(): Promise<void> {
    this.#options.mark();
    await sleep(5_000);
  }

  async #restart(node: ServiceNode): Promise<void> {
    this.#options.mark();
    await node.end('SIGTERM');
    node.restart();
    await waitFor(`${node.name} is ready`, () => node.isReady());
  }

  async #restartAll(nodes: readonly ServiceNode[]): Promise<void> {
    for (const node of nodes) await this.#restart(node);
  }

  async #rollOver(): Promise<void> {
    const { engines, gateways } = this.#options.cluster;
    await this.#restartAll([...engines, ...gateways]);
    await this.#endSettler('SIGTERM');
  }

  async #kill(nodes: readonly ServiceNode[]): Promise<void> {
    this.#options.mark();
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    for (const node of nodes) node.restart();
    for (const node of nodes) await waitFor(`${node.name} is ready`, () => node.isReady());
  }

  /** Counted from the moment they run again. */
  async #killBoth(): Promise<void> {
    const { engines } = this.#options.cluster;
    await Promise.all(engines.map((engine) => engine.end('SIGKILL')));
    for (const engine of engines) engine.restart();
    this.#options.mark();
    for (const engine of engines) await waitFor(`${engine.name} is ready`, () => engine.isReady());
  }

  /** The one that works; its supervisor starts it again. */
  async #endSettler(signal: NodeJS.Signals): Promise<void> {
    const { settler } = this.#options.cluster;
    this.#options.mark();
    settler.sandbox.signal('service', signal);
    await sleep(500);
    await waitFor('the settler is back', () => this.#options.cluster.isSettlerThere());
  }

  async #breakLinks(how: 'cut' | 'silence'): Promise<void> {
    const relays: readonly LinkRelay[] = this.#options.random.pick(this.#options.cluster.linksByEngine);
    for (const relay of relays) relay[how]();
    await this.#longerThanLease();
    for (const relay of relays) relay.mend();
    this.#options.mark();
  }

  async #failOver(): Promise<void> {
    const { database } = this.#options.cluster;
    await database.primary.kill();
    await database.promote();
    this.#options.mark();
    await sleep(1_000);
    await database.renewStandby();
  }

  async #stall(): Promise<void> {
    const { primary } = this.#options.cluster.database;
    primary.pause();
    await this.#longerThanLease();
    primary.resume();
    this.#options.mark();
  }

  async #loseStandby(): Promise<void> {
    const { standby } = this.#options.cluster.database;
    await standby.stop();
    await this.#longerThanLease();
    await standby.start();
    this.#options.mark();
  }

  #longerThanLease(): Promise<void> {
    return sleep(this.#options.leaseMs + this.#options.random.int(200, 700));
  }
}
