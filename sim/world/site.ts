// The machines of a world: a single one with every role, or engines, gateways and settlers that share a journal.

import type { Frame } from '@presage/journal';
import { type FeeRates, marketPartitionName } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { canStandBy } from '../../apps/server/src/config/stand-by.ts';
import type { DurableBatch } from '../../apps/server/src/host/partition-log.ts';
import { readKeptFrames } from '../checkers/kept-journal.ts';
import type { VirtualTime } from '../kernel/virtual-time.ts';
import { type EndOfProcess, Machine, type MachineOptions, type ProcessRun, SINGLE, START_FAILED } from './machine.ts';
import type { ChainTemplate } from './sim-chain-template.ts';
import type { ClusterPlace } from './sim-config.ts';
import { SimDatabase } from './sim-database.ts';
import { SimDisk } from './sim-disk.ts';
import { openSimEngine, type SimEngine } from './sim-engine.ts';
import type { SimFeed } from './sim-feed.ts';
import { CHECKPOINT_EVERY, openSimService, type SimService } from './sim-service.ts';
import { SimSockets } from './sim-sockets.ts';
import { openSimViews, SimViewDatabase } from './sim-views.ts';

/** Number of machines of each kind in a cluster. */
export interface ClusterShape {
  readonly engines: number;
  readonly gateways: number;
  readonly settlers: number;
  readonly partitions: number;
}

export function drawShape(random: SeededRandom): ClusterShape {
  const [engines, gateways, settlers] = [random.int(2, 3), random.int(1, 2), random.int(1, 2)];
  return { engines, gateways, settlers, partitions: random.int(2, 3) };
}

/** The parts of a world that its site needs. */
export interface SiteParts {
  readonly time: VirtualTime;
  readonly template: ChainTemplate;
  readonly collateralCheck: 'enforce' | 'off';
  readonly quickRates: FeeRates;
  readonly feed: () => SimFeed;
  readonly randomFor: (part: string) => SeededRandom;
  readonly say: (text: string, level?: 'event' | 'detail') => void;
  readonly onViolation: (violation: string) => void;
  readonly onEnded: (machine: Machine, how: EndOfProcess) => void;
  /** Called when a node shows records of the markets. */
  readonly onShown: (machine: string, batch: DurableBatch) => void;
}

/** A machine that answers traders, acts on the chain, or both. */
export interface ExchangeNode {
  readonly machine: Machine<SimService>;
  readonly roles: readonly string[];
  /** One for each market partition; they outlive the process. */
  readonly views: readonly SimViewDatabase[];
}

export interface Site {
  readonly exchanges: readonly ExchangeNode[];
  readonly engines: readonly Machine<SimEngine>[];
  /** Names of the market partitions. */
  readonly partitions: readonly string[];
  /** Present in a cluster: its shared database, and the network between its machines. */
  readonly database?: SimDatabase;
  readonly sockets?: SimSockets;
  /** Whether these bytes are durable through any fault. */
  readonly holdsDurably: (bytes: Buffer) => boolean;
  /** All durable frames of a partition. */
  readonly readFrames: (partition: string) => Promise<Frame[]>;
}

export function openSingleSite(parts: SiteParts): Site {
  const views = [new SimViewDatabase(parts.time)];
  const disk = new SimDisk(parts.time, parts.randomFor('disk'));
  const { template, collateralCheck, quickRates } = parts;
  const open = async (run: ProcessRun): Promise<SimService> => {
    const self = { pid: run.pid, startTicks: run.pid, bootId: run.bootId };
    const isAlive = ({ pid, bootId }: typeof self) =>
      machine.isRunning && pid === machine.starts && bootId === run.bootId;
    const service = await openSimService({
      template,
      collateralCheck,
      quickRates,
      disk,
      probe: { self: async () => self, isAlive: async (other) => isAlive(other) },
      openDatabase: () => Promise.reject(new Error('the journal is in files')),
      prices: parts.feed().openPrices(),
      openViews: (sources) => openSimViews(sources, views),
      run,
    });
    follow(parts, SINGLE, service);
    return service;
  };
  const machine = new Machine<SimService>({ ...toMachine(parts, SINGLE, disk), canStandBy: () => false, open });
  return {
    exchanges: [{ machine, roles: ['gateway', 'engine', 'settler'], views }],
    engines: [],
    partitions: [marketPartitionName(0)],
    holdsDurably: (bytes) => disk.holdsDurably(bytes),
    readFrames: (partition) => readKeptFrames(disk.contents(), partition),
  };
}

export function openCluster(parts: SiteParts, shape: ClusterShape): Site {
  const { time, randomFor, say } = parts;
  const database = new SimDatabase(time, randomFor('database'));
  const sockets = new SimSockets(time, randomFor('sockets'));
  const shared = { parts, shape, database, sockets };
  const named = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
  say(
    `${shape.engines} engines, ${shape.gateways} gateways, ${shape.settlers} settlers, ${shape.partitions} partitions`,
  );
  return {
    database,
    sockets,
    engines: named('e', shape.engines).map((name) => openEngineMachine(name, shared)),
    exchanges: [
      ...named('g', shape.gateways).map((name) => openExchangeMachine(name, 'gateway', shared)),
      ...named('s', shape.settlers).map((name) => openExchangeMachine(name, 'settler', shared)),
    ],
    partitions: Array.from({ length: shape.partitions }, (_, index) => marketPartitionName(index)),
    holdsDurably: (bytes) => database.holdsDurably(bytes),
    readFrames: async (partition) => database.frames(partition),
  };
}

interface ClusterParts {
  readonly parts: SiteParts;
  readonly shape: ClusterShape;
  readonly database: SimDatabase;
  readonly sockets: SimSockets;
}

function openEngineMachine(name: string, { parts, shape, database, sockets }: ClusterParts): Machine<SimEngine> {
  const { time, randomFor, template, collateralCheck, quickRates, say } = parts;
  const disk = new SimDisk(time, randomFor(`disk ${name}`));
  const place: ClusterPlace = { machine: name, roles: ['engine'], partitions: shape.partitions };
  const open = (run: ProcessRun) => {
    const onChange = (message: string) => run.process.isAlive && say(`${name} ${message}`);
    const options = { template, collateralCheck, quickRates, place, disk, run, onChange };
    return openSimEngine({ ...options, openDatabase: database.open, checkpointEvery: CHECKPOINT_EVERY });
  };
  return new Machine<SimEngine>({ ...toClusterMachine(parts, place, disk, sockets), open });
}

function openExchangeMachine(name: string, role: 'gateway' | 'settler', cluster: ClusterParts): ExchangeNode {
  const { parts, shape, database, sockets } = cluster;
  const { time, randomFor, template, collateralCheck, quickRates } = parts;
  const disk = new SimDisk(time, randomFor(`disk ${name}`));
  const place: ClusterPlace = { machine: name, roles: [role], partitions: shape.partitions };
  const views = Array.from({ length: shape.partitions }, () => new SimViewDatabase(time));
  const open = async (run: ProcessRun) => {
    const self = { pid: run.pid, startTicks: run.pid, bootId: run.bootId };
    const service = await openSimService({
      template,
      collateralCheck,
      quickRates,
      place,
      disk,
      probe: { self: async () => self, isAlive: async () => false },
      openDatabase: database.open,
      prices: parts.feed().openPrices(),
      openViews: (sources) => openSimViews(sources, views),
      run,
    });
    follow(parts, name, service);
    return service;
  };
  const machine = new Machine<SimService>({ ...toClusterMachine(parts, place, disk, sockets), open });
  return { machine, roles: [role], views };
}

/** A node with its own journal shows its own decisions. */
function follow({ onShown }: SiteParts, machine: string, { markets }: SimService): void {
  for (const log of markets) log.subscribe((batch) => onShown(machine, batch));
}

type CommonOptions = Omit<MachineOptions<SimService>, 'open' | 'canStandBy'>;

function toMachine({ time, say, onViolation, onEnded }: SiteParts, name: string, disk: SimDisk): CommonOptions {
  return { name, time, disk, say, onViolation, onEnded: (machine, { how }) => onEnded(machine, how) };
}

/** A node's process does not end by itself once it has run or stood by: it waits for what it lacks. */
function toClusterMachine(parts: SiteParts, place: ClusterPlace, disk: SimDisk, sockets: SimSockets) {
  const common = toMachine(parts, place.machine, disk);
  return {
    ...common,
    canStandBy: (error: unknown) => canStandBy(place.roles, error),
    onEnded: ((machine, end) => {
      sockets.onEnded(end.process, end.how !== 'power lost');
      if (end.how === 'ended itself' && !end.why.startsWith(START_FAILED))
        parts.onViolation(`${place.machine} ended where it should stand by: ${end.why}`);
      common.onEnded(machine, end);
    }) satisfies CommonOptions['onEnded'],
  };
}
