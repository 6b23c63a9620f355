// Decimal text to millionths and back, exact to the sixth decimal: '0.55' is 550000. Nothing is rounded.

const DECIMAL = /^(\d+)(?:\.(\d{1,6}))?$/;
const DECIMALS = 6;

/** Returns undefined unless the text is a plain decimal without a sign and with at most 6 places. */
export function parseMillionths(text: string): bigint | undefined {
  const parts = DECIMAL.exec(text);
  if (parts === null) return undefined;
  const [, whole, decimals = ''] = parts;
  return BigInt(`${whole}${decimals.padEnd(DECIMALS, '0')}`);
}

/** The shortest text of the amount, with a minus sign below zero. */
export function formatMillionths(amount: number | bigint): string {
  const exact = BigInt(amount);
  const digits = (exact < 0n ? -exact : exact).toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  const whole = `${exact < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}`;
  return decimals === '' ? whole : `${whole}.${decimals}`;
}
