// Parses whole numbers of options: plain digits only, so that `1e3`, `0x10` and `1,000` are refused rather than guessed.
import { UsageError } from './exit-codes.ts';

export function parseWhole(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${option}: "${text}" is not a number`, 'Write a whole number.');
}
