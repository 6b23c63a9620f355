// Reads the pid file of a cluster, and checks that the process it names is the postmaster of that cluster.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessFacts, readProcess } from './process-table.ts';

export interface PostmasterFile {
  readonly pid: number;
  /** `starting`, `ready`, `stopping`; empty in the first moments. */
  readonly status: string;
}

/** A postmaster carries the pid of the service that started it in its command line. */
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
  /** False when the service that started it has ended: it then has another parent. */
  readonly isOwned: boolean;
}

/**
 * Pids are used again: only the command line proves that this is a postmaster, and of this cluster. Its children have
 * another; its watcher, a shell, has the same behind its own.
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
