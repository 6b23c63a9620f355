// Amounts as people write them, exact to the sixth decimal: '0.55' is 550000.

const DECIMAL = /^(\d+)(?:\.(\d{1,6}))?$/;

export function toMillionths(text: string): number {
  const parts = DECIMAL.exec(text);
  if (parts === null) throw new RangeError(`${text} is not a decimal with at most 6 places`);
  const millionths = Number(`${parts[1]}${(parts[2] ?? '').padEnd(6, '0')}`);
  if (!Number.isSafeInteger(millionths)) throw new RangeError(`${text} passes 2^53 millionths`);
  return millionths;
}

export function fromMillionths(amount: number | bigint): string {
  const digits = amount.toString().padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0+$/, '');
  return decimals === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${decimals}`;
}
