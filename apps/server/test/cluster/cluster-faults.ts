// What is done to a cluster under load: kills, pauses, a database that fails over, broken links and clocks that jump.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '@presage/testkit';
import type { TestCluster } from './test-cluster.ts';

const FAULTS = ['kill', 'pause', 'failover', 'cut', 'silence', 'delay', 'clock'] as const;
type Fault = (typeof FAULTS)[number];

/** Far more than a lease, both ways. */
const MOST_CLOCK_MS = 600_000;

export class ClusterFaults {
  /** How often each was done. */
  readonly done = new Map<Fault, number>();
  readonly #cluster: TestCluster;
  readonly #random: SeededRandom;
  readonly #leaseMs: number;
  #coming: Fault[] = [];

  constructor(cluster: TestCluster, random: SeededRandom, leaseMs: number) {
    this.#cluster = cluster;
    this.#random = random;
    this.#leaseMs = leaseMs;
  }

  get wereAllDone(): boolean {
    return FAULTS.every((fault) => this.done.has(fault));
  }

  /** One of them, each in its turn and the turns by chance. Resolves when what was broken is mended. */
  async strike(): Promise<Fault> {
    if (this.#coming.length === 0) this.#coming = [...FAULTS];
    const fault = this.#random.pick(this.#coming);
    this.#coming = this.#coming.filter((each) => each !== fault);
    await this.#carryOut(fault);
    // As a supervisor does: whoever gave up by itself starts again.
    for (const engine of this.#cluster.engines) engine.restart();
    this.done.set(fault, (this.done.get(fault) ?? 0) + 1);
    return fault;
  }

  #carryOut(fault: Fault): Promise<void> {
    if (fault === 'kill') return this.#kill();
    if (fault === 'pause') return this.#pause();
    if (fault === 'failover') return this.#failOver();
    if (fault === 'clock') return this.#moveClock();
    return this.#breakLink(fault);
  }

  async #kill(): Promise<void> {
    await this.#random.pick(this.#cluster.engines).end('SIGKILL');
    await sleep(this.#random.int(0, 500));
  }

  async #pause(): Promise<void> {
    const engine = this.#random.pick(this.#cluster.engines);
    engine.signal('SIGSTOP');
    await this.#longerThanLease();
    engine.signal('SIGCONT');
  }

  /** From the promotion until its own standby is there, the new primary answers alone. */
  async #failOver(): Promise<void> {
    const { database } = this.#cluster;
    await database.primary.kill();
    await database.promote();
    await database.renewStandby();
  }

  async #moveClock(): Promise<void> {
    const engine = this.#random.pick(this.#cluster.engines);
    for (const aheadMs of [MOST_CLOCK_MS, -MOST_CLOCK_MS, this.#random.int(-MOST_CLOCK_MS, MOST_CLOCK_MS), 0]) {
      await this.#cluster.moveClock(engine, aheadMs);
      await sleep(this.#leaseMs / 4);
    }
  }

  /** Of everybody to one engine, which the database still hears. */
  async #breakLink(how: 'cut' | 'silence' | 'delay'): Promise<void> {
    const relay = this.#random.pick(this.#cluster.relays);
    if (how === 'delay') relay.delay(this.#random.int(50, 400));
    else relay[how]();
    await this.#longerThanLease();
    relay.mend();
  }

  #longerThanLease(): Promise<void> {
    return sleep(this.#leaseMs + this.#random.int(500, 1_500));
  }
}
