// Cluster on one machine: the service owns every partition, with its journal in files, and its lanes follow them over the link.
import { join } from 'node:path';
import { KeptStates } from '@presage/journal';
import type { ClusterSettings, LaneSettings } from '../config.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';
import { FixedDirectory } from './fixed-directory.ts';
import { LinkListener } from './link-listener.ts';
import { OwnedPartitions, type SignFrame } from './owned-partitions.ts';
import { OwnerFrames } from './owner-frames.ts';

/** Opens the side of the service, which its lanes call. */
export async function openOwner(
  options: ClusterOptions,
  settings: ClusterSettings,
  sign: SignFrame | undefined,
): Promise<Cluster> {
  const { address, receiptKey, onWarning, config } = options;
  const owned = new OwnedPartitions(sign);
  const listener = new LinkListener({ secret: settings.secret, receiptKey, handlers: owned.handlers(), onWarning });
  const linkAddress = `${settings.host}:${await listener.listen(settings.port, settings.host)}`;
  const self = { address, linkAddress, roles: config.roles, positions: {} };
  return new Cluster(options, { ...partsOf(settings, self, options), owned, listener, openFrames: refuseFrames });
}

/** Opens the side of a lane, which calls the service; nobody calls a lane. */
export function openLane(options: ClusterOptions, settings: ClusterSettings, lane: LaneSettings): Cluster {
  const { linkAddress, address, journalDir } = lane;
  const owner = { address, linkAddress, roles: ['engine', 'settler'], positions: {} };
  const followed = new Map<string, OwnerFrames>();
  return new Cluster(options, {
    ...partsOf(settings, owner, { ...options, gatewayCount: lane.of }),
    owned: new OwnedPartitions(),
    listener: undefined,
    openFrames: (partition, ask) => {
      const states = new KeptStates({ dir: join(journalDir, partition), partition });
      const frames = new OwnerFrames({ partition, ask, states });
      followed.set(partition, frames);
      return frames;
    },
    isOwnerWritable: () => [...followed.values()].every(({ isWritable }) => isWritable),
  });
}

type Owner = ConstructorParameters<typeof FixedDirectory>[0]['owner'];

function partsOf(
  settings: ClusterSettings,
  owner: Owner,
  { config, gatewayCount = 1 }: Pick<ClusterOptions, 'config'> & { readonly gatewayCount?: number },
) {
  const directory = new FixedDirectory({ owner, gatewayCount });
  const membership = { roles: config.roles };
  return {
    database: undefined,
    closeDatabase: async () => undefined,
    directory,
    watched: new Set<never>(),
    settings,
    membership,
  };
}

function refuseFrames(): never {
  throw new Error('this node owns every partition');
}
