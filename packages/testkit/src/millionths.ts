// Amounts as people write them, as safe integers: '0.55' is 550000.
import { parseMillionths } from '@presage/protocol';

export { formatMillionths as fromMillionths } from '@presage/protocol';

export function toMillionths(text: string): number {
  const exact = parseMillionths(text);
  if (exact === undefined) throw new RangeError(`${text} is not a decimal with at most 6 places`);
  if (exact > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`${text} passes 2^53 millionths`);
  return Number(exact);
}
