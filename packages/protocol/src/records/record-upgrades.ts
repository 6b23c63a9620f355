// How records of older versions become records of today: one step a version, with the types that it changes.
import { isObject } from '../core/json.ts';

export type RecordJson = Readonly<Record<string, unknown>> & { readonly type: string };
export type Kinded = { readonly type: string; readonly topic?: unknown };
type Upgrade = (record: RecordJson) => RecordJson;
type Steps = readonly ReadonlyMap<string, Upgrade>[];

/**
 * Each step makes records of the next version; a kind of record that a step does not name is the same in both. A step is
 * never changed or removed: somewhere a journal of its version is still read.
 */
const STEPS: Steps = [
  // 1 to 2: the second a token was issued in is called so; it was `ts`.
  new Map([['token-used', ({ ts, ...rest }) => ({ ...rest, issuedAt: ts })]]),
  // 2 to 3: orders, trades and cancels are written as bytes (hot-records.ts); their fields are the same.
  new Map(),
  // 3 to 4: a proposal may be of outcome 2, and a signature longer than 65 bytes; nothing that was written looks otherwise.
  new Map(),
  // 4 to 5: operators act, a category is any id, markets close early and orders of blocked wallets leave; nothing that was
  // written looks otherwise.
  new Map(),
  // 5 to 6: a failed trade names its buyer and its seller; older records cannot.
  new Map(),
  // 6 to 7: an order may be reduce-only; older ones are not. A market may have several assertions at once, and may be resolved early;
  // nothing that was written of markets looks otherwise.
  new Map([['order-accepted', (record) => ({ ...record, terms: withReduceOnly(record.terms) })]]),
  // 7 to 8: wallets that refused on chain what they had accepted are noted, markets that are paused on chain, and deposits and
  // withdrawals that are relayed; nothing that was written looks otherwise.
  new Map(),
  // 8 to 9: a market may charge takers, and a trade then says how much; nothing that was written looks otherwise.
  new Map(),
  // 9 to 10: operators ask others to confirm, keep templates and schedule markets, and send dead letters again; nothing that was written looks otherwise.
  new Map(),
  // 10 to 11: the use of a token may name the node that was asked; nothing that was written looks otherwise.
  new Map(),
  // 11 to 12: a market may be an outcome of an event, whose shares are converted and whose void pays other parts than halves; a failed trade may
  // name the party whose order the chain had filled already, and may be settled after all; nothing that was written looks otherwise.
  new Map(),
  // 12 to 13: a void that the contract refused after an interruption is dropped; nothing that was written looks otherwise.
  new Map(),
];

function withReduceOnly(terms: unknown): unknown {
  return isObject(terms) ? { reduceOnly: false, ...terms } : terms;
}

/** What is written today: one more than there are steps, so that a new step is a new version. */
export const RECORD_VERSION = STEPS.length + 1;

/** From any version up to today's; the shape of what comes out is not checked here. */
export function upgradeRecord(version: number, record: RecordJson): RecordJson {
  return applySteps(STEPS.slice(version - 1), record);
}

export function applySteps(steps: Steps, record: RecordJson): RecordJson {
  let upgraded = record;
  for (const step of steps) upgraded = step.get(kindOf(upgraded))?.(upgraded) ?? upgraded;
  return upgraded;
}

/** The name of a record among shapes and steps: its type, and for a note of a chain its topic too. */
export function kindOf({ type, topic }: Kinded): string {
  return type === 'chain-noted' ? `${type}/${topic}` : type;
}

/** Whether a step after that version names the type: one that none names need not go through the steps. */
export function isChangedSince(version: number, type: string): boolean {
  return STEPS.slice(version - 1).some((step) => step.has(type));
}
