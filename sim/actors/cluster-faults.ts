// Faults between the nodes of a cluster and of their shared database.
import type { SeededRandom } from '@presage/testkit';
import { noDatabaseFaults } from '../world/sim-database.ts';
import { noLinkFaults } from '../world/sim-sockets.ts';
import type { World } from '../world/world.ts';

export const CLUSTER_WEIGHTS = {
  'database fails over': 7,
  'database slow': 3,
  'statements lost': 5,
  'database answers lost': 8,
  'database full': 4,
  'cut off from the database': 7,
  'link cut': 5,
  'links broken': 7,
  'link silent': 4,
  'link half-open': 6,
  'link slow': 4,
} as const;
export type ClusterFaultName = keyof typeof CLUSTER_WEIGHTS;

export interface ClusterFaultParts {
  readonly world: World;
  readonly random: SeededRandom;
  readonly size: number;
  readonly lastsMs: number;
  readonly after: (ms: number, run: () => void) => void;
}

/** Failovers take some seconds at most; longer ones equal a database that is cut off. */
const LONGEST_FAILOVER_MS = 6_000;

export function startClusterFault(name: ClusterFaultName, parts: ClusterFaultParts): void {
  const { world, random, size, lastsMs, after } = parts;
  const { database, sockets } = world.site;
  if (database === undefined || sockets === undefined) return;
  const { faults } = database;
  const names = world.machines.map((machine) => machine.name);
  const [one, other] = random.shuffle(names) as [string, string];
  const onDatabase = (struck: Partial<typeof faults>, ms = lastsMs) => {
    Object.assign(faults, struck);
    after(ms, () => Object.assign(faults, noDatabaseFaults()));
  };
  const acts: Record<ClusterFaultName, () => void> = {
    'database fails over': () => {
      database.failOver();
      after(Math.min(lastsMs, LONGEST_FAILOVER_MS), () => {
        faults.isDown = false;
      });
    },
    'database slow': () => onDatabase({ extraMs: 20 + size * 800 }),
    'statements lost': () => onDatabase({ lost: 0.05 + size * 0.5 }, lastsMs / 2),
    'database answers lost': () => onDatabase({ unanswered: 0.05 + size * 0.5 }, lastsMs / 2),
    'database full': () => onDatabase({ isFull: true }, lastsMs / 3),
    'cut off from the database': () => {
      world.say(`${one} does not reach the database`);
      faults.cutOff.add(one);
      after(lastsMs, () => faults.cutOff.delete(one));
    },
    'link cut': () => {
      sockets.cut(one, other);
      after(lastsMs, () => {
        Object.assign(sockets.link(one, other), noLinkFaults());
        Object.assign(sockets.link(other, one), noLinkFaults());
      });
    },
    'links broken': () => {
      for (const each of names) sockets.reset(one, each);
    },
    'link silent': () => {
      sockets.link(one, other).isSilent = true;
      sockets.link(other, one).isSilent = true;
      after(lastsMs, () => {
        sockets.mend(one, other);
        sockets.mend(other, one);
      });
    },
    'link half-open': () => {
      sockets.link(one, other).isSilent = true;
      after(lastsMs, () => sockets.mend(one, other));
    },
    'link slow': () => {
      sockets.link(one, other).extraMs = 50 + size * 2_500;
      after(lastsMs, () => sockets.mend(one, other));
    },
  };
  acts[name]();
}

/** Restores everything between the nodes. */
export function healCluster({ site: { database, sockets } }: World): void {
  if (database !== undefined) {
    Object.assign(database.faults, noDatabaseFaults());
    database.faults.cutOff.clear();
  }
  sockets?.mendAll();
}
