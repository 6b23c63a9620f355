// Tells one run of a process from every other: its pid, its start and the boot of the machine, and whether it still lives.

import { readFile } from 'node:fs/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: pids are used again, this pair is not. 0 where unknown (macOS). */
  readonly startTicks: number;
  /** Random at each boot; "unknown" where the system does not tell (macOS). */
  readonly bootId: string;
}

export interface ProcessProbe {
  self(): Promise<ProcessIdentity>;
  isAlive(identity: ProcessIdentity): Promise<boolean>;
}

export const nodeProcessProbe: ProcessProbe = {
  self: async () => ({
    pid: process.pid,
    startTicks: (await readStat(process.pid))?.startTicks ?? 0,
    bootId: await readBootId(),
  }),
  isAlive,
};

async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (identity.bootId !== (await readBootId()) || !isRunning(identity.pid)) return false;
  const stat = await readStat(identity.pid);
  // Where the start is unknown the pid alone must do: refusing a free lock is safer than sharing a held one.
  if (!stat || identity.startTicks === 0) return true;
  // A zombie answers to its pid, but will never write again.
  return stat.startTicks === identity.startTicks && stat.state !== 'Z';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function readBootId(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'latin1')).trim();
  } catch {
    return 'unknown';
  }
}

async function readStat(pid: number): Promise<{ state: string; startTicks: number } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may hold spaces; the state is the third, the start the 22nd.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: afterName[0] ?? '', startTicks: Number(afterName[19]) };
  } catch {
    return undefined;
  }
}
