// The child process of a sandbox chain and its price feed: kept running, on the same ports after restarts.
import { CHAIN_MAIN, FIRST_CHAIN_ID, LEAST_ORIGIN_NUMBER } from '@presage/devchain';
import type { ChainPlace } from './chains-file.ts';
import { Child, type ChildMessage } from './child.ts';
import { KeptProcess, type KeptProcessHooks } from './kept-process.ts';

export interface ChainListening extends ChildMessage {
  readonly url: string;
  /** Address of the price feed; only the first chain's process has one, and prices follow its clock. */
  readonly feedUrl?: string;
  /** True if the chain had no log, so that nothing is deployed on it yet. */
  readonly isNew: boolean;
}

export interface ChainReady extends ChainListening {
  readonly blockNumber: number;
}

interface ReplayProgress extends ChildMessage {
  readonly done: number;
  readonly total: number;
}

export interface ChainProcessOptions extends KeptProcessHooks {
  readonly place: ChainPlace;
  /** Port of the first run; 0 for any. */
  readonly port: number;
  /** Called once the chain listens on its ports; it answers there after it has replayed its log. */
  readonly onListening: (chain: ChainListening) => void;
}

export function createChainProcess(options: ChainProcessOptions): KeptProcess<ChainReady> {
  const { place, port, onProgress, onListening, ...hooks } = options;
  const isFirst = place.chainId === FIRST_CHAIN_ID;
  return new KeptProcess({
    ...hooks,
    name: isFirst ? 'chain' : `chain ${place.chainId}`,
    // Apart from `ready`, the chain sends only `listening` and the progress of its replay.
    onProgress: (message) => {
      if (message.type === 'listening') return onListening(message as ChainListening);
      const { done, total } = message as ReplayProgress;
      onProgress(`replaying its log, ${done} of ${total} records`);
    },
    start: (previous, reporter) => {
      const kept = previous ? new URL(previous.url).port : String(port);
      const feedPort = previous?.feedUrl ? new URL(previous.feedUrl).port : '0';
      const ports = ['--port', kept, ...(isFirst ? ['--feed-port', feedPort] : [])];
      const chain = ['--chain-id', String(place.chainId), '--data-dir', place.chainDir];
      // Mines these empty blocks first, since snapshots begin at this block: without them a crash would execute the first load again.
      const lead = ['--lead-blocks', String(LEAST_ORIGIN_NUMBER)];
      const args = [...chain, ...ports, ...lead, '--parent-pid', String(process.pid)];
      return new Child({ script: CHAIN_MAIN, args, ...reporter });
    },
  });
}
