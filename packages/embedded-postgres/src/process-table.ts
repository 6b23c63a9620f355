// Looks at other processes: what they are, who started them, where they work.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';

export interface ProcessFacts {
  readonly pid: number;
  readonly parentPid: number;
  /** Program and arguments, joined by spaces. */
  readonly command: string;
}

/** Undefined when there is no such process, or only its empty shell waiting to be reaped. */
export async function readProcess(pid: number): Promise<ProcessFacts | undefined> {
  // Slim Linux images have no ps; macOS has no /proc.
  const facts = process.platform === 'linux' ? await readProc(pid) : await askPs(pid);
  return facts?.command ? facts : undefined;
}

async function readProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may itself hold spaces and parentheses; the parent is the second field behind it.
    const [, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    return { pid, parentPid: Number(parentPid), command: args.join(' ').trim() };
  } catch {
    return undefined;
  }
}

async function askPs(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)]);
    const [, parentPid, command] = /^\s*(\d+)\s+(.*)$/m.exec(stdout) ?? [];
    return command === undefined ? undefined : { pid, parentPid: Number(parentPid), command: command.trim() };
  } catch {
    return undefined;
  }
}

/** Pids of the processes of this program that work in this folder. Empty where the system does not say (macOS). */
export async function findProcessesIn(folder: string, program: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger);
  const matches = await Promise.all(pids.map((pid) => worksIn(pid, folder, program)));
  return pids.filter((_, index) => matches[index]);
}

async function worksIn(pid: number, folder: string, program: string): Promise<boolean> {
  try {
    const [cwd, exe] = await Promise.all([readlink(`/proc/${pid}/cwd`), readlink(`/proc/${pid}/exe`)]);
    // The kernel appends this when the file was replaced, as by an upgrade.
    return cwd === folder && basename(exe.replace(/ \(deleted\)$/, '')) === program;
  } catch {
    return false;
  }
}
