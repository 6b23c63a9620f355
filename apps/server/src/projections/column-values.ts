// Values as the database client gives and takes them: bytes for hex, decimal text for integers past 2^53.

/** int8 and numeric, however the client is configured to return them. */
export type Wide = bigint | string;

export function hexOf(value: Buffer): `0x${string}` {
  return `0x${value.toString('hex')}`;
}

/** From bytea's own text, `\\x` and hex digits. */
export function hexOfText(text: string): `0x${string}` {
  return `0x${text.slice(2)}`;
}

export function maybeHexOf(value: Buffer | null): `0x${string}` | null {
  return value === null ? null : hexOf(value);
}

export function maybeNumber(value: Wide | null): number | null {
  return value === null ? null : Number(value);
}

export function maybeBigInt(value: Wide | null): bigint | null {
  return value === null ? null : BigInt(value);
}

/** From `0x` and hex digits. */
export function toBytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

/** `postOnly` stands in `post_only`. */
export function toColumnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
