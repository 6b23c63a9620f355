// How the service's main thread spends its time: working, or waiting for a core that another thread uses. Both as Linux counts them.
import { readFileSync } from 'node:fs';
import { readTree } from './process-tree.ts';

export interface ThreadTime {
  readonly workedMs: number;
  readonly waitedMs: number;
}

/** Process id of the service within `npm start`. */
export function findService(sandboxPid: number): number {
  const isService = (pid: number) => /apps\/server\/src\/main/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
  const service = readTree(sandboxPid).find(({ pid }) => isService(pid));
  if (service === undefined) throw new Error('the sandbox runs no service');
  return service.pid;
}

export function readMainThread(pid: number): ThreadTime {
  const [worked, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
  return { workedMs: Number(worked) / 1e6, waitedMs: Number(waited) / 1e6 };
}
