// The verdict of an operator's hook about a wallet, and its validation.
import { isObject } from '@presage/protocol';

/** Upper bounds; a missing one limits nothing. Amounts are in millionths. */
export interface Limits {
  readonly openOrders?: bigint;
  /** Net shares at stake: shares of one outcome less those of the other, with all open orders filled. */
  readonly position?: bigint;
  /** Value traded in the last 24 hours and offered by open orders. */
  readonly dailyVolume?: bigint;
}

export interface WalletLimits extends Limits {
  /** Bounds for each market by itself. */
  readonly market?: Limits;
}

export interface Verdict {
  readonly admit: boolean;
  /** Reason, shown to the trader. */
  readonly reason?: string;
  readonly limits?: WalletLimits;
  /** Lifetime of the verdict in seconds; defaults to the setting. */
  readonly seconds?: number;
}

export const LIMIT_NAMES = ['openOrders', 'position', 'dailyVolume'] as const;
const LONGEST_REASON = 200;
const LONGEST_SECONDS = 86_400;

/** Parses a verdict; throws an Error that says what is wrong with the answer. */
export function parseVerdict(answer: unknown): Verdict {
  if (!isObject(answer)) throw new Error('the answer is no JSON object');
  const { admit, reason, limits, seconds } = answer;
  if (typeof admit !== 'boolean') throw new Error('"admit" must be true or false');
  if (reason !== undefined && typeof reason !== 'string') throw new Error('"reason" must be text');
  if (seconds !== undefined && !isLifetime(seconds)) {
    throw new Error(`"seconds" must be a whole number from 0 to ${LONGEST_SECONDS}`);
  }
  return {
    admit,
    ...(reason !== undefined && { reason: toPlainText(reason) }),
    ...(limits !== undefined && { limits: parseWalletLimits(limits) }),
    ...(seconds !== undefined && { seconds }),
  };
}

function isLifetime(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_SECONDS;
}

/** Reduces the reason to one line without control characters, since it goes into answers and logs. */
function toPlainText(text: string): string {
  return text.replace(/\p{C}+/gu, ' ').slice(0, LONGEST_REASON);
}

function parseWalletLimits(value: unknown): WalletLimits {
  const limits = parseLimits('limits', value, ['market']);
  const { market } = value as { readonly market?: unknown };
  return market === undefined ? limits : { ...limits, market: parseLimits('limits.market', market) };
}

/** Parses limits; refuses an unknown name, which would silently limit nothing. */
function parseLimits(name: string, value: unknown, others: readonly string[] = []): Limits {
  if (!isObject(value)) throw new Error(`"${name}" must be an object`);
  const known: readonly string[] = [...LIMIT_NAMES, ...others];
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`"${name}.${unknown}" is no limit; use some of ${LIMIT_NAMES.join(', ')}`);
  const named = LIMIT_NAMES.filter((key) => value[key] !== undefined);
  return Object.fromEntries(named.map((key) => [key, parseLimit(`${name}.${key}`, value[key])]));
}

function parseLimit(name: string, value: unknown): bigint {
  const text = String(value);
  if (!/^\d{1,30}$/.test(text)) throw new Error(`"${name}" must be a whole number`);
  return BigInt(text);
}
