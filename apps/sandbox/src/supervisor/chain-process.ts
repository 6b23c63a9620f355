// The sandbox's chain and price feed as a child that is kept running, on the same ports through its restarts.
import { CHAIN_MAIN, FIRST_CHAIN_ID, LEAST_ORIGIN_NUMBER } from '@presage/devchain';
import type { ChainPlace } from './chains-file.ts';
import { Child, type ChildMessage } from './child.ts';
import { KeptProcess, type KeptProcessHooks } from './kept-process.ts';

export interface ChainListening extends ChildMessage {
  readonly url: string;
  /** Prices come from the first chain's process, whose clock they follow. */
  readonly feedUrl?: string;
  /** It had no log: nothing is deployed on it yet. */
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
  /** It has its ports, and answers at them when it has replayed its log. */
  readonly onListening: (chain: ChainListening) => void;
}

export function createChainProcess(options: ChainProcessOptions): KeptProcess<ChainReady> {
  const { place, port, onProgress, onListening, ...hooks } = options;
  const isFirst = place.chainId === FIRST_CHAIN_ID;
  return new KeptProcess({
    ...hooks,
    name: isFirst ? 'chain' : `chain ${place.chainId}`,
    // Besides being ready the chain tells only these two.
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
      // The first load is then not executed again after a crash: its state is saved as that of any later one.
      const lead = ['--lead-blocks', String(LEAST_ORIGIN_NUMBER)];
      const args = [...chain, ...ports, ...lead, '--parent-pid', String(process.pid)];
      return new Child({ script: CHAIN_MAIN, args, ...reporter });
    },
  });
}
