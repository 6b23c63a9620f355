// Reads the pid file of a cluster and the process table, and checks that the named process is the postmaster of that cluster.

import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

export interface PostmasterFile {
  readonly pid: number;
  /** `starting`, `ready`, `stopping`; empty in the first moments. */
  readonly status: string;
}

/** The setting that puts the starting service's pid on the postmaster's command line. */
export function ownerSetting(pid: number): string {
  return `cluster_name=presage-${pid}`;
}

export function postmasterFilePath(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(postmasterFilePath(cluster), 'utf8').catch(() => '');
  // Lines as in PostgreSQL's miscadmin.h: the first is the pid, the eighth the status.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? '' } : undefined;
}

export interface RunningPostmaster extends ProcessFacts {
  /** False if the service that started it has exited: it then has another parent. */
  readonly isOwned: boolean;
}

/**
 * Pids are reused: only the command line proves that this is a postmaster of this cluster. Its children have another
 * one; its watcher, a shell, has the same text after its own.
 */
export function isPostmasterOf(cluster: string, { command }: ProcessFacts): boolean {
  return command.includes(`/postgres -D ${cluster} `) && !command.startsWith('/bin/sh ');
}

export async function findPostmaster(cluster: string): Promise<RunningPostmaster | undefined> {
  const file = await readPostmasterFile(cluster);
  const found = file && (await readProcess(file.pid));
  if (!found || !isPostmasterOf(cluster, found)) return undefined;
  return { ...found, isOwned: found.command.includes(` ${ownerSetting(found.parentPid)} `) };
}

export interface ProcessFacts {
  readonly pid: number;
  readonly parentPid: number;
  /** Program and arguments, joined by spaces. */
  readonly command: string;
}

/** Undefined if there is no such process, or only a zombie. */
export async function readProcess(pid: number): Promise<ProcessFacts | undefined> {
  // Slim Linux images have no ps; macOS has no /proc.
  const facts = process.platform === 'linux' ? await readProc(pid) : await askPs(pid);
  return facts?.command ? facts : undefined;
}

async function readProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may itself contain spaces and parentheses; the parent is the second field after it.
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

/** Pids of the processes of this program that work in this folder. Empty on systems that do not report it (macOS). */
export async function findProcessesIn(folder: string, program: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter(Number.isInteger);
  const matches = await Promise.all(pids.map((pid) => worksIn(pid, folder, program)));
  return pids.filter((_, index) => matches[index]);
}

async function worksIn(pid: number, folder: string, program: string): Promise<boolean> {
  try {
    const [cwd, exe] = await Promise.all([readlink(`/proc/${pid}/cwd`), readlink(`/proc/${pid}/exe`)]);
    // The kernel appends this if the file was replaced, for example by an upgrade.
    return cwd === folder && basename(exe.replace(/ \(deleted\)$/, '')) === program;
  } catch {
    return false;
  }
}
