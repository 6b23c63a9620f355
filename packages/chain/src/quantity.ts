// Strict parsing of JSON-RPC's hexadecimal quantities: any other answer of a node is rejected.
import { type Hex, toLowerHex } from '@presage/protocol';
import { RpcUnavailable } from './rpc.ts';

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

export function parseQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw garbage('a quantity', value);
  return BigInt(value);
}

export function parseIndex(value: unknown): number {
  const index = Number(parseQuantity(value));
  if (!Number.isSafeInteger(index)) throw garbage('a safe integer', value);
  return index;
}

export function parseHash(value: unknown): Hex {
  if (typeof value !== 'string' || !HASH.test(value)) throw garbage('a 32-byte hash', value);
  return toLowerHex(value);
}

export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}

export function garbage(expected: string, value: unknown): RpcUnavailable {
  return new RpcUnavailable('garbage', `expected ${expected}, got ${String(JSON.stringify(value)).slice(0, 80)}`);
}
