// Opens the lanes of a service; and, in the process of a lane, takes the connections that the service hands to it.
import { Socket } from 'node:net';
import { join } from 'node:path';
import { stringifyJson } from '@presage/protocol';
import { readOrMakeSecret } from '@presage/runtime/node';
import type { Environment } from '../config/settings-reader.ts';
import type { Config, LaneSettings } from '../config.ts';
import type { Log } from '../log/log.ts';
import { Lane } from './lane.ts';
import { Lanes } from './lanes.ts';

export interface OpenLanesOptions {
  readonly config: Config;
  /** The environment of the service. */
  readonly environment: Environment;
  /** Database of the view; contains a password. */
  readonly databaseUrl: string;
  readonly linkAddress: string;
  /** HTTP address of the service itself. */
  readonly address: string;
  readonly onServing: (isServing: boolean) => void;
  readonly log: Log;
}

export async function openLanes(options: OpenLanesOptions): Promise<Lanes> {
  const { config, log, onServing } = options;
  const receiptKey = config.receiptKey ?? (await readOrMakeSecret(join(config.dataDir, 'receipt-key')));
  const indexes = Array.from({ length: config.lanes }, (_, at) => at + 1);
  const lanes: Lanes = new Lanes({
    onServing,
    lanes: indexes.map((index) => {
      const environment = toLaneEnvironment({ ...options, receiptKey }, index);
      return new Lane({ index, environment, log, onChange: () => lanes.look() });
    }),
  });
  return lanes;
}

/** A lane is a gateway with a folder of its own, whose journal, view and keys are those of the service. */
function toLaneEnvironment(
  { config, environment, databaseUrl, receiptKey, ...service }: OpenLanesOptions & { readonly receiptKey: string },
  index: number,
): Environment {
  const { dataDir, dailyDir, cluster, drainSeconds, lanes: of } = config;
  const { linkAddress, address } = service;
  const lane: LaneSettings = { index, of, linkAddress, address, journalDir: join(dataDir, 'journal') };
  return {
    ...environment,
    PRESAGE_LANE: stringifyJson(lane),
    PRESAGE_LANES: '0',
    PRESAGE_ROLES: 'gateway',
    PRESAGE_HOST: '127.0.0.1',
    PRESAGE_PORT: '0',
    PRESAGE_DATA_DIR: join(dataDir, 'lanes', String(index)),
    PRESAGE_DAILY_DIR: dailyDir ?? join(dataDir, 'daily'),
    PRESAGE_DATABASE_URL: databaseUrl,
    PRESAGE_CLUSTER_SECRET: cluster?.secret,
    PRESAGE_RECEIPT_KEY: receiptKey,
    PRESAGE_DRAIN_SECONDS: String(drainSeconds),
    PRESAGE_PARENT_PID: String(process.pid),
  };
}

/** The process of a lane: the service hands connections to it from its start on, until it begins to end. */
export function serveAsLane(take: (socket: Socket) => void): Pick<Lanes, 'start' | 'close'> {
  let isEnding = false;
  return {
    start: () => {
      if (isEnding) return;
      process.on('message', (message, handle) => {
        if (message !== 'connection') return;
        // Undefined where the client left meanwhile.
        if (handle instanceof Socket) take(handle);
        process.send?.('taken');
      });
      process.send?.('ready');
    },
    close: async () => {
      isEnding = true;
      process.send?.('ending');
    },
  };
}
