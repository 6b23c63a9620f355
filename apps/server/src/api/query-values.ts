// Query and path values as the domain wants them; what is malformed is a 400 that names the field.
import { type Address, type Bytes32, type Outcome, PresageError, parseAddress, parseBytes32 } from '@presage/protocol';

export type Query = Readonly<Record<string, string | string[] | undefined>>;

export function invalidField(field: string, expected: string): PresageError {
  return new PresageError('invalid_field', { field, expected });
}

/** The single value of a parameter; given twice it is malformed. */
export function textOf(query: Query, field: string): string | undefined {
  const value = query[field];
  if (Array.isArray(value)) throw invalidField(field, 'one value');
  return value === '' ? undefined : value;
}

export function addressOf(field: string, value: string | undefined): Address {
  const address = parseAddress(value);
  if (address === undefined) throw invalidField(field, 'an address: 0x and 40 hex digits');
  return address;
}

export function bytes32Of(field: string, value: string | undefined): Bytes32 {
  const id = parseBytes32(value);
  if (id === undefined) throw invalidField(field, '0x and 64 hex digits');
  return id;
}

export function optionalBytes32(query: Query, field: string): Bytes32 | undefined {
  const value = textOf(query, field);
  return value === undefined ? undefined : bytes32Of(field, value);
}

export function chainIdOf(query: Query): number {
  const chainId = optionalChainId(query);
  if (chainId === undefined) throw invalidField('chain_id', 'an integer');
  return chainId;
}

export function optionalChainId(query: Query): number | undefined {
  const value = textOf(query, 'chain_id');
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(value)) throw invalidField('chain_id', 'an integer');
  return Number(value);
}

const OUTCOMES: Readonly<Record<string, Outcome>> = { YES: 0, '0': 0, NO: 1, '1': 1 };

export function outcomeOf(query: Query): Outcome | undefined {
  const value = textOf(query, 'outcome');
  if (value === undefined) return undefined;
  const outcome = OUTCOMES[value.toUpperCase()];
  if (outcome === undefined) throw invalidField('outcome', 'YES or 0, NO or 1');
  return outcome;
}

/** Above the maximum it is clamped; below 1 or not an integer it is refused. */
export function limitOf(query: Query, { fallback, maximum }: { fallback: number; maximum: number }): number {
  const value = textOf(query, 'limit');
  if (value === undefined) return fallback;
  if (!/^\d{1,15}$/.test(value) || Number(value) < 1) throw invalidField('limit', 'an integer of at least 1');
  return Math.min(Number(value), maximum);
}
