// Faults of a world, drawn from its seed: each begins, lasts a while and ends.
import type { SeededRandom } from '@presage/testkit';
import type { EndOfProcess, Machine } from '../world/machine.ts';
import { CONFIRMATIONS } from '../world/sim-chain.ts';
import { noDiskFaults } from '../world/sim-disk.ts';
import { type NodeFaults, noFaults } from '../world/sim-network.ts';
import type { World } from '../world/world.ts';
import { CLUSTER_WEIGHTS, type ClusterFaultName, healCluster, startClusterFault } from './cluster-faults.ts';

const WEIGHTS = {
  kill: 10,
  'kill in an operation': 14,
  'power loss': 6,
  'power loss in an operation': 12,
  stop: 3,
  'slow disk': 4,
  'full disk': 3,
  'read errors': 2,
  'write errors': 5,
  'read-only disk': 3,
  'node down': 5,
  'node silent': 4,
  'answers lost': 6,
  'node slow': 4,
  'node behind': 5,
  'bad gateway': 3,
  'requests doubled': 3,
  'fee spike': 3,
  'all nodes down': 3,
  'pool lost': 4,
  reorg: 9,
  'chain halted': 3,
  'clock jump': 7,
  'feed stalled': 2,
  'feed jump': 1,
  'database lost': 3,
} as const;
type NodeFaultName = keyof typeof WEIGHTS;
/** Planned separately, so that the draws of other faults stay the same. */
type PlannedFaultName = 'deep reorg';
export type FaultName = NodeFaultName | ClusterFaultName | PlannedFaultName;

/** One block less deep than what the service treats as final. */
const DEEPEST_REORG = CONFIRMATIONS - 1;
const RESTART_MS = 1_500;

export class FaultInjector {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #without: ReadonlySet<FaultName>;
  readonly #weights: Readonly<Record<string, number>>;
  readonly #machines: SeededRandom;
  readonly counts: Partial<Record<FaultName, number>> = {};
  isOver = false;
  /** The machine whose process will end during a disk operation, `left` operations from now. */
  #doomed: { readonly machine: Machine; readonly how: EndOfProcess; left: number } | undefined;

  constructor(world: World, random: SeededRandom, without: ReadonlySet<FaultName> = new Set()) {
    this.#world = world;
    this.#random = random;
    this.#without = without;
    this.#machines = world.randomFor('struck machines');
    this.#weights = world.site.database === undefined ? WEIGHTS : { ...WEIGHTS, ...CLUSTER_WEIGHTS };
    for (const machine of world.machines) machine.disk.onOperation = () => this.#onOperation(machine);
    world.onEnded = (machine) => this.#restartSoon(machine);
  }

  /** Draws the next fault and begins it. The draw is the same whether or not the fault is left out. */
  begin(): void {
    // Every name of the weights has an act.
    const name = this.#random.weighted(this.#weights) as NodeFaultName | ClusterFaultName;
    const lastsMs = 500 + this.#random.fraction() ** 2 * 25_000;
    const size = this.#random.fraction();
    if (this.#without.has(name) || this.isOver) return;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    const world = this.#world;
    world.say(`fault: ${name}`);
    const after = (ms: number, run: () => void) => this.#after(ms, run);
    if (isOfCluster(name)) startClusterFault(name, { world, random: this.#machines, size, lastsMs, after });
    else this.#start(name, size, lastsMs);
  }

  /** Ends all faults; no new one begins. */
  heal(): void {
    const { world } = this.#parts();
    this.isOver = true;
    this.#doomed = undefined;
    for (const { disk } of world.machines) Object.assign(disk.faults, noDiskFaults());
    healCluster(world);
    for (const node of Object.values(world.network.nodes)) Object.assign(node, noFaults());
    world.isChainHalted = false;
    world.feed.stall(false);
    for (const { views } of world.site.exchanges) for (const view of views) view.isDown = false;
    world.say('all faults are over');
    if (!world.isRunning) world.start();
  }

  #parts() {
    return { world: this.#world, random: this.#random };
  }

  #start(name: NodeFaultName, size: number, lastsMs: number): void {
    const { world } = this.#parts();
    const machine = this.#pick(world.machines);
    const { disk } = machine;
    const nodes = Object.values(world.network.nodes);
    const node = nodes[size < 0.7 ? 0 : 1]!;
    const onNode = (faults: Partial<NodeFaults>) => {
      Object.assign(node, faults);
      this.#after(lastsMs, () => Object.assign(node, noFaults()));
    };
    const onDisk = (faults: Partial<typeof disk.faults>, ms: number) => {
      Object.assign(disk.faults, faults);
      this.#after(ms, () => Object.assign(disk.faults, noDiskFaults()));
    };
    const acts: Record<NodeFaultName, () => void> = {
      kill: () => machine.end('killed'),
      'kill in an operation': () => this.#endInOperation(machine, 'killed', size),
      'power loss': () => machine.end('power lost'),
      'power loss in an operation': () => this.#endInOperation(machine, 'power lost', size),
      stop: () => void machine.stop(),
      'slow disk': () => onDisk({ slowness: 20 + size * 500 }, lastsMs),
      'full disk': () => onDisk({ isFull: true }, lastsMs / 3),
      'read errors': () => onDisk({ readErrors: 0.02 + size * 0.2 }, lastsMs / 3),
      'write errors': () => onDisk({ writeErrors: 0.05 + size * 0.6 }, lastsMs / 2),
      'read-only disk': () => onDisk({ isReadOnly: true }, lastsMs / 2),
      'node down': () => onNode({ isDown: true }),
      'node silent': () => onNode({ silence: 'before' }),
      'answers lost': () => onNode({ silence: 'after' }),
      'node slow': () => onNode({ extraMs: 500 + size * 9_000 }),
      'node behind': () => {
        const lagShare = Math.floor(size * 1_000) % 2 === 0 ? 1 : 0.5;
        onNode({ lagBlocks: 1 + Math.floor(size * 6), lagShare });
      },
      'bad gateway': () => onNode({ garbage: 0.2 + size * 0.6 }),
      'requests doubled': () => onNode({ twice: 0.3 + size * 0.7 }),
      'fee spike': () => {
        for (const each of nodes) each.leastTip = BigInt(Math.ceil(size * 40)) * 1_000_000_000n;
        this.#after(lastsMs, () => {
          for (const each of nodes) each.leastTip = 0n;
        });
      },
      'all nodes down': () => {
        for (const each of nodes) each.isDown = true;
        this.#after(lastsMs, () => {
          for (const each of nodes) each.isDown = false;
        });
      },
      'pool lost': () => void world.chain.dropPool().then((count) => world.say(`${count} transactions were dropped`)),
      reorg: () => void this.#reorganise(1 + Math.floor(size * DEEPEST_REORG), size),
      'chain halted': () => {
        world.isChainHalted = true;
        this.#after(lastsMs * 1.5, () => {
          world.isChainHalted = false;
        });
      },
      'clock jump': () => world.time.jumpClock((size - 0.45) * 8_000),
      'feed stalled': () => {
        world.feed.stall(true);
        this.#after(lastsMs, () => world.feed.stall(false));
      },
      'feed jump': () => world.feed.jump(Math.round(size * 2e13) + 1),
      'database lost': () => {
        const { views } = this.#pick(world.site.exchanges);
        for (const view of views) Object.assign(view, { isDown: true, lostCommits: Math.floor(size * 3) });
        this.#after(lastsMs, () => {
          for (const view of views) view.isDown = false;
        });
      },
    };
    acts[name]();
  }

  /** A reorg deeper than what the service treats as final, at most down to the first block of this world. */
  deepReorg(size: number): void {
    const { world } = this.#parts();
    const blocks = world.chain.head.number - world.firstBlock;
    if (this.isOver || this.#without.has('deep reorg') || blocks <= CONFIRMATIONS) return;
    this.counts['deep reorg'] = (this.counts['deep reorg'] ?? 0) + 1;
    world.say('fault: deep reorg');
    void this.#reorganise(CONFIRMATIONS + 1 + Math.floor(size * (blocks - CONFIRMATIONS)), size);
  }

  async #reorganise(depth: number, size: number): Promise<void> {
    const { world } = this.#parts();
    const mode = (['keep', 'drop', 'shuffle'] as const)[Math.floor(size * 1_000) % 3]!;
    world.onReorg(depth);
    await world.chain.reorganise(depth, mode);
    world.say(
      `reorg of ${depth} blocks, ${mode}: head ${world.chain.head.number} ${world.chain.head.hash.slice(0, 10)}`,
    );
  }

  /** Ends the process during a write, a sync or a rename, some operations from now. */
  #endInOperation(machine: Machine, how: EndOfProcess, size: number): void {
    this.#doomed = { machine, how, left: Math.floor(size * 40) };
  }

  #onOperation(machine: Machine): void {
    const doomed = this.#doomed;
    if (doomed?.machine !== machine || --doomed.left >= 0) return;
    this.#doomed = undefined;
    machine.end(doomed.how, 'in an operation of the disk');
  }

  #restartSoon(machine: Machine): void {
    const { world, random } = this.#parts();
    world.time.after(RESTART_MS * (0.2 + random.fraction()), () => machine.start(), world.time.world);
  }

  #after(ms: number, run: () => void): void {
    this.#world.time.after(ms, () => this.isOver || run(), this.#world.time.world);
  }

  /** Draws nothing if there is only one choice. */
  #pick<T>(choices: readonly T[]): T {
    return choices.length === 1 ? choices[0]! : this.#machines.pick(choices);
  }
}

function isOfCluster(name: NodeFaultName | ClusterFaultName): name is ClusterFaultName {
  return name in CLUSTER_WEIGHTS;
}
