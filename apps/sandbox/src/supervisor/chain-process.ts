// The sandbox's chain and price feed as a child that is kept running, on the same ports through its restarts.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child, type ChildMessage } from './child.ts';
import { KeptProcess, type KeptProcessHooks } from './kept-process.ts';

export interface ChainReady extends ChildMessage {
  readonly url: string;
  readonly feedUrl: string;
  readonly blockNumber: number;
}

interface ReplayProgress extends ChildMessage {
  readonly done: number;
  readonly total: number;
}

const CHAIN_MAIN = fileURLToPath(new URL('../chain/main.ts', import.meta.url));

export interface ChainProcessOptions extends KeptProcessHooks {
  readonly dataDir: string;
  /** Of the first run; 0 for any. */
  readonly port: number;
}

export function createChainProcess(options: ChainProcessOptions): KeptProcess<ChainReady> {
  const { dataDir, port, onProgress, ...hooks } = options;
  return new KeptProcess({
    ...hooks,
    name: 'chain',
    onProgress: (message) => onProgress(describeReplay(message as ReplayProgress)),
    start: (former, reporter) => {
      const kept = former ? new URL(former.url).port : String(port);
      const feedPort = former ? new URL(former.feedUrl).port : '0';
      const ports = ['--port', kept, '--feed-port', feedPort];
      const args = ['--data-dir', join(dataDir, 'chain'), ...ports, '--parent-pid', String(process.pid)];
      return Child.start({ script: CHAIN_MAIN, args, ...reporter });
    },
  });
}

function describeReplay({ done, total }: ReplayProgress): string {
  return `replaying its log, ${done} of ${total} records`;
}
