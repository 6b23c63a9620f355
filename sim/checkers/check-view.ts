// Checks that the view that followed the journal through every fault equals the one built from it at once.
import { NaiveView } from '../../apps/server/test/projections/naive-view.ts';
import type { SimViewDatabase } from '../world/sim-views.ts';
import type { KeptRecord } from './kept-journal.ts';

/** `whose` names the machine and the partition. */
export function* checkView(
  database: SimViewDatabase,
  records: readonly KeptRecord[],
  whose: string,
): Generator<string> {
  const rebuilt = new NaiveView();
  for (const { seq, record } of records) rebuilt.apply(seq, record);
  const last = records.at(-1)?.seq ?? 0;
  if (database.cursor !== last) yield `the view${whose} is at ${database.cursor}, the journal at ${last}`;
  for (const table of ['orders', 'trades', 'sent', 'life', 'closed'] as const) {
    if (toText(database.rows[table]) !== toText(rebuilt[table]))
      yield `the view's ${table}${whose} are not those of the journal`;
  }
}

function toText(table: ReadonlyMap<string, unknown>): string {
  return JSON.stringify([...table], (_, value: unknown) => {
    if (typeof value === 'bigint') return value.toString();
    return value instanceof Set ? [...value] : value;
  });
}
