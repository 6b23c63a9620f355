// Processor time of a process and all its descendants, as Linux counts it.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in ticks: 100 a second on every platform that Node supports. */
export const TICKS_PER_SECOND = 100;

export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly ticks: number;
}

/** The process and all its descendants. */
export function readTree(root: number): ProcessTime[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)) ?? []);
  const tree = all.filter(({ pid }) => pid === root);
  for (const parent of tree) tree.push(...all.filter((each) => each.parent === parent.pid));
  return tree;
}

export function sumTicks(processes: readonly ProcessTime[]): number {
  return processes.reduce((total, { ticks }) => total + ticks, 0);
}

function readProcess(pid: number): ProcessTime | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = text.lastIndexOf(')');
    const fields = text.slice(nameEnd + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { pid, parent: Number(fields[1]), name: text.slice(text.indexOf('(') + 1, nameEnd), ticks };
  } catch {
    // The process has ended since the folder was listed.
    return undefined;
  }
}
