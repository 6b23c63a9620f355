// Opens the lanes of a service; in a lane's process, takes the connections that the service hands over.
import { Socket } from 'node:net';
import { join } from 'node:path';
import { readOrMakeSecret } from '@presage/runtime/node';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { Lane } from './lane.ts';
import { type LaneEnvironmentOptions, toLaneEnvironment } from './lane-environment.ts';
import { Lanes } from './lanes.ts';

export interface OpenLanesOptions extends Omit<LaneEnvironmentOptions, 'receiptKey'> {
  readonly config: Config;
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

/** Serves as a lane: takes connections that the service hands over, from `start` until the process begins to end. */
export function serveAsLane(take: (socket: Socket) => void): Pick<Lanes, 'start' | 'close'> {
  let isEnding = false;
  return {
    start: () => {
      if (isEnding) return;
      process.on('message', (message, handle) => {
        if (message !== 'connection') return;
        // The handle is undefined if the client has left meanwhile.
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
