// Distinguishes one run of a process from every other: its pid, its start and the boot of the machine, and whether it still lives.
import { readFileSync } from 'node:fs';
import { isErrorCode } from './error-code.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: pids are used again, this pair is not. 0 where unknown (macOS). */
  readonly startTicks: number;
  /** Random at each boot; "unknown" where the system does not say (macOS). */
  readonly bootId: string;
}

export interface ProcessProbe {
  self(): Promise<ProcessIdentity>;
  isAlive(identity: ProcessIdentity): Promise<boolean>;
}

export const nodeProcessProbe: ProcessProbe = {
  self: async () => ({ pid: process.pid, startTicks: readStartTicks(process.pid), bootId: readBootId() }),
  isAlive: async (identity) => isAlive(identity),
};

/** Any process with this pid, but for a zombie: it answers to its pid until its parent has taken note of its end, and never does anything again. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readStat(pid)?.state !== 'Z';
  } catch (error) {
    // EPERM: it runs, as another user.
    return isErrorCode(error, 'EPERM');
  }
}

/** 0 where the system does not say (macOS), or when the process has ended. */
export function readStartTicks(pid: number): number {
  return readStat(pid)?.startTicks ?? 0;
}

function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== readBootId() || !isProcessRunning(identity.pid)) return false;
  const stat = readStat(identity.pid);
  // Where the start is unknown the pid alone must do: refusing a free lock is safer than sharing a held one.
  if (!stat || identity.startTicks === 0) return true;
  return stat.startTicks === identity.startTicks;
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return 'unknown';
  }
}

/** Read at once rather than awaited: the kernel answers from memory. */
function readStat(pid: number): { state: string; startTicks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may hold spaces; the state is the third, the start the 22nd.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: afterName[0] ?? '', startTicks: Number(afterName[19]) };
  } catch {
    return undefined;
  }
}
