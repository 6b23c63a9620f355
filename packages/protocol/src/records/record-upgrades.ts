// Upgrades records of older versions: one step per version, with the types that it changes.
import { isObject } from '../core/json.ts';

export type RecordJson = Readonly<Record<string, unknown>> & { readonly type: string };
export type Kinded = { readonly type: string; readonly topic?: unknown };
type Upgrade = (record: RecordJson) => RecordJson;
type Steps = readonly ReadonlyMap<string, Upgrade>[];

/**
 * Each step makes records of the next version; a kind that a step does not name is the same in both. A step is never
 * changed or removed, because journals of its version still exist.
 */
const STEPS: Steps = [
  // 1 to 2: the second in which a token was issued is `issuedAt`; it was `ts`.
  new Map([['token-used', ({ ts, ...rest }) => ({ ...rest, issuedAt: ts })]]),
  // 2 to 3: orders, trades and cancels are written as bytes (hot-records.ts); their fields are the same.
  new Map(),
  // 3 to 4: a proposal may be of outcome 2, and a signature longer than 65 bytes; earlier records are unchanged.
  new Map(),
  // 4 to 5: operators act, a category is any id, markets close early and orders of blocked wallets leave; earlier
  // records are unchanged.
  new Map(),
  // 5 to 6: a failed trade names its buyer and its seller; earlier records cannot.
  new Map(),
  // 6 to 7: an order may be reduce-only; earlier ones are not. A market may have several assertions at once, and may be
  // resolved early; earlier records of markets are unchanged.
  new Map([['order-accepted', (record) => ({ ...record, terms: withReduceOnly(record.terms) })]]),
  // 7 to 8: new notes of wallets that refused on chain what they had accepted, of markets paused on chain, and of
  // relayed deposits and withdrawals; earlier records are unchanged.
  new Map(),
  // 8 to 9: a market may charge takers, and a trade then has its fee; earlier records are unchanged.
  new Map(),
  // 9 to 10: operators ask others to confirm, keep templates, schedule markets and resend dead letters; earlier records are unchanged.
  new Map(),
  // 10 to 11: the use of a token may name the node that received it; earlier records are unchanged.
  new Map(),
  // 11 to 12: a market may be an outcome of an event, whose shares are converted and whose void pays other parts than
  // halves; a failed trade may name the party whose order was already filled on chain, and may be settled after all;
  // earlier records are unchanged.
  new Map(),
  // 12 to 13: a void that the contract refused after an interruption is dropped; earlier records are unchanged.
  new Map(),
];

function withReduceOnly(terms: unknown): unknown {
  return isObject(terms) ? { reduceOnly: false, ...terms } : terms;
}

/** Version of records written today: one more than there are steps, so that a new step is a new version. */
export const RECORD_VERSION = STEPS.length + 1;

/** Upgrades from any version to the current one; the caller checks the resulting shape. */
export function upgradeRecord(version: number, record: RecordJson): RecordJson {
  return applySteps(STEPS.slice(version - 1), record);
}

export function applySteps(steps: Steps, record: RecordJson): RecordJson {
  let upgraded = record;
  for (const step of steps) upgraded = step.get(kindOf(upgraded))?.(upgraded) ?? upgraded;
  return upgraded;
}

/** Name of a record among shapes and steps: its type, and for a note of a chain also its topic. */
export function kindOf({ type, topic }: Kinded): string {
  return type === 'chain-noted' ? `${type}/${topic}` : type;
}

/** Whether a step after that version changes the type; unchanged types need not go through the steps. */
export function isChangedSince(version: number, type: string): boolean {
  return STEPS.slice(version - 1).some((step) => step.has(type));
}
