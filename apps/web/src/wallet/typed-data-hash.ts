// The EIP-712 digest of flat typed data, all that this service asks wallets to sign. viem's handles nested types too, at three times the script.
import { fromHex, keccak, toHex } from '@presage/protocol/browser';

interface Field {
  readonly name: string;
  readonly type: string;
}

type Values = Readonly<Record<string, unknown>>;

export interface FlatTypedData {
  /** Types including `EIP712Domain`, as wallets get them. */
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly domain: Values;
  readonly primaryType: string;
  readonly message: Values;
}

const WORD_BYTES = 32;

export function hashFlatTypedData({ types, domain, primaryType, message }: FlatTypedData): `0x${string}` {
  const parts = [
    new Uint8Array([0x19, 0x01]),
    hashStruct('EIP712Domain', types, domain),
    hashStruct(primaryType, types, message),
  ];
  return toHex(hash(parts));
}

function hashStruct(name: string, types: FlatTypedData['types'], values: Values): Uint8Array {
  const fields = types[name];
  if (fields === undefined) throw new Error(`typed data has no type ${name}`);
  const text = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
  return hash([hash([bytesOf(text)]), ...fields.map(({ name, type }) => encode(type, values[name]))]);
}

function encode(type: string, value: unknown): Uint8Array {
  if (type.endsWith('[]') && Array.isArray(value)) {
    return hash(value.map((each) => encode(type.slice(0, -2), each)));
  }
  if (type === 'string') return hash([bytesOf(String(value))]);
  // Numbers and addresses are right-aligned in their word; `bytes32` fills it, and shorter byte types do not occur.
  if (type === 'bool') return toWord(value === true ? 1n : 0n);
  if (/^(uint\d+|address|bytes32)$/.test(type)) return toWord(BigInt(String(value)));
  throw new Error(`typed data has a field of type ${type}, which a demo wallet does not sign`);
}

function toWord(value: bigint): Uint8Array {
  return fromHex(`0x${value.toString(16).padStart(2 * WORD_BYTES, '0')}`);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function hash(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return keccak(joined);
}
