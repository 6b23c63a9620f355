// The outages that each fault caused, as a table for people.
import type { Outages } from './outages.ts';

interface Row {
  readonly outagesMs: number[];
  readonly recoveriesMs: number[];
  readonly settlerMs: number[];
  readonly listsMs: number[];
  readonly notes: Map<string, number>;
}

export class OutageTable {
  readonly #partitions: ReadonlySet<string>;
  readonly #rows = new Map<string, Row>();
  lastLine = '';

  constructor(partitions: readonly string[]) {
    this.#partitions = new Set(partitions);
  }

  /** Takes what was measured since the last call for the outage of this fault. */
  add(fault: string, outages: Outages): void {
    const row = this.#rows.get(fault) ?? emptyRow();
    this.#rows.set(fault, row);
    const recoveryMs = outages.recovery((name) => this.#partitions.has(name));
    const { worstMs, notes } = outages.take();
    const ofPartitions = [...worstMs].filter(([name]) => this.#partitions.has(name)).map(([, ms]) => ms);
    row.outagesMs.push(Math.max(...ofPartitions));
    row.recoveriesMs.push(recoveryMs);
    row.settlerMs.push(worstMs.get('settler') ?? 0);
    row.listsMs.push(worstMs.get('lists') ?? 0);
    for (const [what, count] of notes) row.notes.set(what, (row.notes.get(what) ?? 0) + count);
    const lists = `settler ${row.settlerMs.at(-1)}, lists ${row.listsMs.at(-1)}`;
    this.lastLine = `${fault}: ${row.outagesMs.at(-1)} ms, after the mark ${recoveryMs}; ${lists}; ${describeNotes(notes)}`;
  }

  toString(): string {
    const head =
      '| Fault | Times | Outage of a partition: median, worst | After it was mended | Settler | Lists | Refusals |';
    const lines = [...this.#rows].map(([fault, row]) => {
      const { outagesMs, recoveriesMs, settlerMs, listsMs, notes } = row;
      const cells = [outagesMs, recoveriesMs, settlerMs, listsMs].map(describeTimes);
      return `| ${[fault, outagesMs.length, ...cells, describeNotes(notes)].join(' | ')} |`;
    });
    return [head, '|---|---|---|---|---|---|---|', ...lines].join('\n');
  }
}

function emptyRow(): Row {
  return { outagesMs: [], recoveriesMs: [], settlerMs: [], listsMs: [], notes: new Map() };
}

function describeTimes(timesMs: readonly number[]): string {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)]}, ${sorted.at(-1)} ms`;
}

function describeNotes(notes: ReadonlyMap<string, number>): string {
  return [...notes].map(([what, count]) => `${count} ${what}`).join(', ') || 'none';
}
