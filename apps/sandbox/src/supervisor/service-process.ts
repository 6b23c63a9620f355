// The child process of the service: kept running, on the same port after restarts.
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_SETTINGS } from '@presage/runtime/node';
import { Child, type ChildMessage } from './child.ts';
import { KeptProcess, type KeptProcessHooks } from './kept-process.ts';

export interface ServiceReady extends ChildMessage {
  readonly url: string;
}

interface ServiceProgress extends ChildMessage {
  readonly step: string;
}

interface MakerMessage extends ChildMessage {
  readonly running: boolean;
}

export interface ServiceProcessOptions extends KeptProcessHooks {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called when the service wants the demo maker to run, or to stop. */
  readonly onMaker: (running: boolean) => void;
}

/** Started by path: apps are never imported, and the service must be a separate process anyway. */
export const SERVICE_MAIN = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url));

export function createServiceProcess(options: ServiceProcessOptions): KeptProcess<ServiceReady> {
  const { environment, onProgress, onMaker, ...hooks } = options;
  return new KeptProcess({
    ...hooks,
    name: 'service',
    onProgress: (message) => {
      // `apps/server/src/main.ts` writes this message.
      if (message.type === 'maker') onMaker((message as MakerMessage).running);
      else onProgress((message as ServiceProgress).step);
    },
    start: (previous, reporter) => {
      const kept = previous && { PRESAGE_PORT: new URL(previous.url).port };
      // If this process is killed, it cannot stop the service any more, so the service watches it.
      const watched = { PRESAGE_PARENT_PID: String(process.pid) };
      const own = { ...ALLOCATOR_SETTINGS, ...environment, ...kept, ...watched };
      return new Child({ script: SERVICE_MAIN, environment: own, ...reporter });
    },
  });
}
