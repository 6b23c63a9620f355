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

/** A zombie, and one that is being removed. */
const ENDED = ['Z', 'X'];

export const nodeProcessProbe: ProcessProbe = {
  self: async () => ({ pid: process.pid, startTicks: readStartTicks(process.pid), bootId: readBootId() }),
  isAlive: async (identity) => isAlive(identity),
};

/** Any process with this pid, but for a zombie: it answers to its pid until its parent has taken note of its end, and never does anything again. */
export function isProcessRunning(pid: number): boolean {
  return findProcess(pid) !== undefined;
}

/** 0 where the system does not say (macOS), or when the process has ended. */
export function readStartTicks(pid: number): number {
  return readStat(pid)?.startTicks ?? 0;
}

function isAlive({ pid, startTicks, bootId }: ProcessIdentity): boolean {
  const found = bootId === readBootId() ? findProcess(pid) : undefined;
  if (found === undefined) return false;
  // Where the start is unknown the pid alone must do: refusing a free lock is safer than sharing a held one.
  return startTicks === 0 || found.startTicks === 0 || found.startTicks === startTicks;
}

function findProcess(pid: number): Pick<ProcessIdentity, 'startTicks'> | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user, and may be hidden.
    return isErrorCode(error, 'EPERM') ? { startTicks: readStartTicks(pid) } : undefined;
  }
  const stat = readStat(pid);
  if (stat !== undefined) return ENDED.includes(stat.state) ? undefined : stat;
  // Its parent may have taken note of its end in this moment: who tells of processes would tell of this one.
  return readStat(process.pid) === undefined ? { startTicks: 0 } : undefined;
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
