// Parses and formats sides, outcomes, amounts and transactions for the commands.
import {
  formatAmount,
  type OrderTrade,
  type OutcomeName,
  PresageTransactionError,
  type RelayedTransaction,
  type ResolutionName,
  type SideName,
} from '@presage/sdk';
import { option } from './command-spec.ts';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';

export function parseOutcome(text: string): OutcomeName {
  const upper = text.toUpperCase();
  if (upper === 'YES' || upper === 'NO') return upper;
  throw new UsageError(`"${text}" is not an outcome`, 'Write yes or no.');
}

/** Parses a result that can be proposed: an outcome, or half and half. */
export function parseResolution(text: string): ResolutionName {
  return text.toUpperCase() === 'HALF' ? 'HALF' : parseOutcome(text);
}

export function parseSide(text: string): SideName {
  const lower = text.toLowerCase();
  if (lower === 'buy' || lower === 'sell') return lower;
  throw new UsageError(`"${text}" is not a side`, 'Write buy or sell.');
}

export function sideName(side: number): SideName {
  return side === 0 ? 'buy' : 'sell';
}

export function outcomeName(outcome: number): OutcomeName {
  return outcome === 0 ? 'YES' : 'NO';
}

/** Accepts plain digits only, so that `1e3`, `0x10` and `1,000` are refused rather than guessed. */
export function parseWhole(option: string, text: string, least = 0): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`${option}: "${text}" is not a number`, `Write a whole number${least > 0 ? ' above 0' : ''}.`);
}

/** The chain that an option names, if it is given. */
export function chainOf({ chain }: { readonly chain?: string }): { readonly chainId?: number } {
  return chain === undefined ? {} : { chainId: parseWhole('--chain', chain) };
}

export const EVERY_CHAIN = option('--chain <id>', 'only on this chain (every chain of the service)');

/** The chain that the option names, which the service must serve; all of the service's chains without the option. */
export async function chainsOf(context: Context, options: { readonly chain?: string }): Promise<readonly number[]> {
  const served = (await context.config()).chains.map(({ chainId }) => chainId);
  const { chainId: only } = chainOf(options);
  if (only === undefined) return served;
  if (served.includes(only)) return [only];
  throw new UsageError(`${context.url} does not serve chain ${only}`, `It serves ${served.join(', ')}.`);
}

type DefinedOnly<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out the fields that were not given. */
export function definedOnly<T extends object>(fields: T): DefinedOnly<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedOnly<T>;
}

/** Formats millionths as a decimal number. */
export function drawAmount(amount: number | bigint | string): string {
  return formatAmount(BigInt(amount));
}

/** Empty if there is no fee. */
export function drawFee(fee: number): string {
  return fee === 0 ? '' : `, fee ${drawAmount(fee)}`;
}

export function drawPrice(price: number | bigint): string {
  return BigInt(price) === 0n ? '-' : formatAmount(price);
}

/** Waits for the confirmation and reports it; empty when someone else's transaction had the same effect. */
export async function confirm(context: Context, what: string, transaction: RelayedTransaction): Promise<string> {
  context.output.note(`${what}: sent${transaction.txHash && ` ${transaction.txHash}`}, waiting for the chain`);
  await transaction.wait({ signal: context.signal });
  return transaction.txHash;
}

/** Fails a command that waits for settlement if a trade failed. */
export function throwIfFailed([failed]: readonly OrderTrade[]): void {
  if (failed !== undefined) throw new PresageTransactionError(failed.txHash ?? '', failed.reason ?? null);
}
