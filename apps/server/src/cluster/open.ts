// Opens the cluster: the connections of this node to the others, and the partitions of an engine.
import { type HandedOver, PostgresFrames } from '@presage/journal';
import { type Address, type CancelReason, type HeartbeatSet, marketPartitionName } from '@presage/protocol';
import type { Clock } from '../clock.ts';
import type { ClusterSettings, Config } from '../config.ts';
import { ControlState } from '../host/control-state.ts';
import { openSwitches } from '../host/dead-man-switches.ts';
import { followRecords, type RecordFollower } from '../host/follow-records.ts';
import { requirePartitionCount } from '../host/partition-count.ts';
import { PartitionState } from '../host/partition-state.ts';
import type { OpenJournalDatabase } from '../store/journal-database.ts';
import { Cluster, type ClusterOptions, type Membership, type Watched } from './cluster.ts';
import { Directory } from './directory.ts';
import { EngineSeats } from './engine-seats.ts';
import { openLane, openOwner } from './lanes.ts';
import { type LinkHandler, LinkListener } from './link-listener.ts';
import { OwnedPartitions, type SignFrame } from './owned-partitions.ts';

export interface OpenClusterOptions extends ClusterOptions {
  readonly config: ClusterOptions['config'] & Pick<Config, 'cluster' | 'journalUrl'> & Partial<Pick<Config, 'lane'>>;
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
  /** Signs frames of the partitions that this node owns, so that followers need not. */
  readonly sign?: SignFrame;
}

export async function openCluster(options: OpenClusterOptions): Promise<Cluster> {
  const { cluster: settings, journalUrl, lane } = options.config;
  if (settings === undefined) throw new Error('a cluster needs a secret');
  if (lane !== undefined) return openLane(options, settings, lane);
  if (journalUrl === undefined) return openOwner(options, settings, options.sign);
  return openSharing(options, settings, journalUrl);
}

/** Opens a node of a cluster that shares a journal in a database. */
async function openSharing(options: OpenClusterOptions, settings: ClusterSettings, url: string): Promise<Cluster> {
  const { config, address, openDatabase, receiptKey, onWarning } = options;
  const { database, warnings, close: closeDatabase } = await openDatabase(url);
  for (const warning of warnings) onWarning(warning);
  const owned = new OwnedPartitions(options.sign);
  const membership: Membership = { roles: config.roles };
  const handlers = new Map([...owned.handlers(), ...handOverHandlers(membership)]);
  const listener = new LinkListener({ secret: settings.secret, receiptKey, handlers, onWarning });
  const watched: Watched = new Set();
  const positions = () => {
    const followed = [...watched].map(({ log }) => [log.partition, log.lastSeq]);
    return { ...Object.fromEntries(followed), ...owned.positions() };
  };
  try {
    const linkAddress = `${settings.host}:${await listener.listen(settings.port, settings.host)}`;
    const self = () => ({ address, linkAddress, roles: membership.roles, positions: positions() });
    const directory = await Directory.open({ database, self, leaseMs: config.leaseSeconds * 1_000 });
    const openFrames = (partition: string) => new PostgresFrames({ database, partition });
    const place = { database, closeDatabase, openFrames };
    return new Cluster(options, { ...place, owned, listener, directory, watched, settings, membership });
  } catch (error) {
    await listener.close();
    await closeDatabase();
    throw error;
  }
}

/** Handlers of calls of an engine that hands a partition to this one. */
function handOverHandlers(membership: Membership): ReadonlyMap<string, LinkHandler> {
  const receiver = () => {
    if (membership.receiver === undefined) throw new Error('this node takes no partitions');
    return membership.receiver;
  };
  return new Map<string, LinkHandler>([
    ['prepare-partition', ({ partition }: Pick<TakeCall, 'partition'>) => receiver().prepare(partition)],
    ['take-partition', ({ partition, handed }: TakeCall) => receiver().take(partition, handed)],
  ]);
}

interface TakeCall {
  readonly partition: string;
  readonly handed: HandedOver;
}

type SeatPorts = Pick<ConstructorParameters<typeof EngineSeats>[0], 'log' | 'files' | 'checkpointEvery'>;

export interface OpenEngineSeatsOptions extends SeatPorts {
  readonly config: Pick<Config, 'leaseSeconds' | 'dataDir' | 'partitions'>;
  readonly cluster: Cluster;
  readonly address: string;
  readonly clock: Clock & RecordFollower;
  readonly onDecided: (seconds: number) => void;
  readonly onFatal: (error: unknown) => void;
}

/** Follows the control partition for its clock and the switches, even if another engine owns it. */
export async function openEngineSeats({ config, cluster, clock, log, onFatal, ...options }: OpenEngineSeatsOptions) {
  const onWarning = (message: string) => log.warn({}, message);
  const control = await cluster.follow('control', { onFatal, onWarning });
  const markets = Array.from({ length: config.partitions }, (_, index) => marketPartitionName(index));
  let isActing = false;
  const note = async (record: HeartbeatSet) => void (await control.log.append([record]));
  const switches = openSwitches(note, log, () => isActing);
  const past = { log: control.log, create: () => new ControlState(), onWarning };
  const { fold } = await PartitionState.open(past);
  const count = requirePartitionCount(config.partitions);
  followRecords(control.log, fold.records(), [count, clock, switches]);
  control.start();
  const seats = new EngineSeats({
    ...options,
    peers: cluster,
    leaseMs: config.leaseSeconds * 1_000,
    dataDir: config.dataDir,
    partitions: ['control', ...markets],
    nowMs: () => clock.nowMs(),
    onControl: (isOwned) => {
      isActing = isOwned;
    },
    log,
  });
  const cancelOrders = (trader: Address, reason: CancelReason) =>
    Promise.all(
      markets.map((partition) => {
        const command = { type: 'cancel-orders', trader, reason } as const;
        // No search for an earlier attempt (`appliedSeq`): cancelling twice does no harm, and the owner would first read the whole partition.
        return cluster.ask({ partition, method: 'run-whole', body: { command } });
      }),
    );
  switches.start({ cancelOrders });
  seats.start();
  return {
    get owned() {
      return seats.owned;
    },
    /** Whether the journal can be read here and holds everything that this node acknowledged. */
    get isSound() {
      return !control.isCutOff && seats.halted.length === 0;
    },
    close: async () => {
      await switches.close();
      await seats.close();
      control.close();
    },
  };
}
