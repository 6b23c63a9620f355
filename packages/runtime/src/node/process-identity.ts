// Identifies one run of a process by its pid, its start and the boot of the machine, and tells whether it still runs.
import { readFileSync } from 'node:fs';
import { isErrorCode } from './error-code.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: a pid is reused, this pair is not. 0 if unknown (macOS). */
  readonly startTicks: number;
  /** Random at each boot; "unknown" if the system does not report it (macOS). */
  readonly bootId: string;
}

export interface ProcessProbe {
  self(): Promise<ProcessIdentity>;
  isAlive(identity: ProcessIdentity): Promise<boolean>;
}

/** States of a zombie, and of a process being removed. */
const ENDED = ['Z', 'X'];

export const nodeProcessProbe: ProcessProbe = {
  self: async () => ({ pid: process.pid, startTicks: readStartTicks(process.pid), bootId: readBootId() }),
  isAlive: async (identity) => isAlive(identity),
};

/** Whether any process has this pid, apart from a zombie: it keeps its pid until its parent has reaped it, and never runs again. */
export function isProcessRunning(pid: number): boolean {
  return findProcess(pid) !== undefined;
}

/** 0 if the system does not report it (macOS), or if the process has ended. */
export function readStartTicks(pid: number): number {
  return readStat(pid)?.startTicks ?? 0;
}

function isAlive({ pid, startTicks, bootId }: ProcessIdentity): boolean {
  const found = bootId === readBootId() ? findProcess(pid) : undefined;
  if (found === undefined) return false;
  // If the start is unknown, the pid alone decides: refusing a free lock is safer than sharing a held one.
  return startTicks === 0 || found.startTicks === 0 || found.startTicks === startTicks;
}

function findProcess(pid: number): Pick<ProcessIdentity, 'startTicks'> | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user, and its details may be hidden.
    return isErrorCode(error, 'EPERM') ? { startTicks: readStartTicks(pid) } : undefined;
  }
  const stat = readStat(pid);
  if (stat !== undefined) return ENDED.includes(stat.state) ? undefined : stat;
  // Its parent may have reaped it just now: if /proc is readable for us, it would be for that process too.
  return readStat(process.pid) === undefined ? { startTicks: 0 } : undefined;
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return 'unknown';
  }
}

/** Synchronous: the kernel answers from memory. */
function readStat(pid: number): { state: string; startTicks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may contain spaces; the state is the third, the
    // start the 22nd.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: afterName[0] ?? '', startTicks: Number(afterName[19]) };
  } catch {
    return undefined;
  }
}
