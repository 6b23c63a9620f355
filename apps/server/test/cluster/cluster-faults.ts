// What is done to a cluster under load: kills, pauses, a database that fails over or stands still, broken links and clocks that jump.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '@presage/testkit';
import type { LinkRelay } from './link-relay.ts';
import type { TestCluster } from './test-cluster.ts';

/** Somebody has to take over, or waits. */
const HARD = ['kill', 'pause', 'failover', 'stall', 'cut', 'silence', 'writer killed', 'writer paused'] as const;
/** Everybody goes on: done at the same time as one of the others. */
const MILD = ['delay', 'clock', 'gateway cut off'] as const;
type Fault = (typeof HARD | typeof MILD)[number];

/** Far more than a lease, both ways. */
const MOST_CLOCK_MS = 600_000;

export class ClusterFaults {
  /** How often each was done. */
  readonly done = new Map<Fault, number>();
  readonly #cluster: TestCluster;
  readonly #random: SeededRandom;
  readonly #leaseMs: number;
  readonly #coming: { hard: Fault[]; mild: Fault[] } = { hard: [], mild: [] };

  constructor(cluster: TestCluster, random: SeededRandom, leaseMs: number) {
    this.#cluster = cluster;
    this.#random = random;
    this.#leaseMs = leaseMs;
  }

  get wereAllDone(): boolean {
    return [...HARD, ...MILD].every((fault) => this.done.has(fault));
  }

  /** Two of them, each in its turn and the turns by chance. Resolves when what was broken is mended, with what it was. */
  async strike(): Promise<string> {
    const faults = [this.#draw('hard', HARD), this.#draw('mild', MILD)];
    await Promise.all(faults.map((fault) => this.#carryOut(fault)));
    // As a supervisor does: whoever gave up by itself starts again.
    for (const node of [...this.#cluster.engines, ...this.#cluster.gateways]) node.restart();
    for (const fault of faults) this.done.set(fault, (this.done.get(fault) ?? 0) + 1);
    return faults.join(' and ');
  }

  #draw(kind: 'hard' | 'mild', all: readonly Fault[]): Fault {
    if (this.#coming[kind].length === 0) this.#coming[kind] = [...all];
    const fault = this.#random.pick(this.#coming[kind]);
    this.#coming[kind] = this.#coming[kind].filter((each) => each !== fault);
    return fault;
  }

  #carryOut(fault: Fault): Promise<void> {
    switch (fault) {
      case 'kill':
        return this.#kill();
      case 'pause':
        return this.#pause();
      case 'failover':
        return this.#failOver();
      case 'stall':
        return this.#stall();
      case 'clock':
        return this.#moveClock();
      case 'writer killed':
        return this.#cluster.killViewWriter();
      case 'writer paused':
        return this.#pauseViewWriter();
      case 'gateway cut off':
        return this.#breakLinks([this.#random.pick(this.#cluster.ownRelays)], this.#random.pick(['cut', 'silence']));
      default:
        return this.#breakLinks(this.#random.pick(this.#cluster.linksByEngine), fault);
    }
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

  /** It must not be able to write when it wakes. */
  async #pauseViewWriter(): Promise<void> {
    const resume = await this.#cluster.pauseViewWriter();
    await this.#longerThanLease();
    resume();
  }

  /** From the promotion until its own standby is there, the new primary answers alone. */
  async #failOver(): Promise<void> {
    const { database } = this.#cluster;
    await database.primary.kill();
    await database.promote();
    await database.renewStandby();
  }

  /** Every lease has run out when it goes on. */
  async #stall(): Promise<void> {
    const { primary } = this.#cluster.database;
    primary.pause();
    await this.#longerThanLease();
    primary.resume();
  }

  async #moveClock(): Promise<void> {
    const engine = this.#random.pick(this.#cluster.engines);
    for (const aheadMs of [MOST_CLOCK_MS, -MOST_CLOCK_MS, this.#random.int(-MOST_CLOCK_MS, MOST_CLOCK_MS), 0]) {
      await this.#cluster.moveClock(engine, aheadMs);
      await sleep(this.#leaseMs / 4);
    }
  }

  /** To an engine, which the database still hears: of everybody, or of one gateway only. */
  async #breakLinks(relays: readonly LinkRelay[], how: 'cut' | 'silence' | 'delay'): Promise<void> {
    const delayMs = this.#random.int(50, 400);
    for (const relay of relays) {
      if (how === 'delay') relay.delay(delayMs);
      else relay[how]();
    }
    await this.#longerThanLease();
    for (const relay of relays) relay.mend();
  }

  #longerThanLease(): Promise<void> {
    return sleep(this.#leaseMs + this.#random.int(200, 700));
  }
}
