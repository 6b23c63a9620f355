// Checks parameters of paths and queries by the schema that documents them, and parses them for the domain.
import {
  AddressText,
  Bytes32Text,
  compileLater,
  type Outcome,
  type PresageError,
  parseAddress,
  parseAsset,
  parseBytes32,
  toLowerHex,
} from '@presage/protocol';
import Type, { type TSchema } from 'typebox';
import { invalidField, missingField } from './bodies.ts';

/** A kind of value and its parser. A path parameter uses it directly; a query parameter adds the meaning of a missing value. */
export interface TextKind<T> {
  readonly schema: TSchema;
  readonly description: string;
  /** Parses the text; throws an error that names the field, also if there is no text. */
  readonly read: (field: string, text: string | undefined) => T;
}

interface TextKindOptions<T> extends Pick<TextKind<T>, 'schema' | 'description'> {
  /** Description of a valid value, for the error. */
  readonly expected?: string;
  /** Parses text that fits the schema; undefined if the schema is wider than the endpoint allows. */
  readonly read: (text: string) => T | undefined;
  /** Error for an invalid value; 400 invalid_field by default. */
  readonly refusal?: (text: string) => PresageError;
}

export function textKind<T>({ schema, description, expected, read, refusal }: TextKindOptions<T>): TextKind<T> {
  const compiled = compileLater(schema);
  return {
    schema,
    description,
    read: (field, text) => {
      const value = compiled().Check(text) && text !== undefined ? read(text) : undefined;
      if (value !== undefined) return value;
      throw refusal === undefined ? toInvalid(field, expected ?? description, text) : refusal(text ?? '');
    },
  };
}

function toInvalid(field: string, expected: string, text: string | undefined): PresageError {
  return text === undefined ? missingField(field, expected) : invalidField(field, expected, text);
}

/** Query parameters as received; a repeated one is a list. */
export type RawQuery = Readonly<Record<string, string | string[] | undefined>>;

export interface QueryParameter<V> {
  readonly schema: TSchema;
  readonly description: string;
  readonly isRequired: boolean;
  readonly read: (field: string, query: RawQuery) => V;
}

/** The single value of a parameter; a repeated one is malformed. */
function singleOf(field: string, query: RawQuery): string | undefined {
  const value = query[field];
  if (Array.isArray(value)) throw invalidField(field, 'one value');
  return value;
}

/** An empty value counts as missing. */
function textOf(field: string, query: RawQuery): string | undefined {
  return singleOf(field, query) || undefined;
}

export function required<T>({ schema, description, read }: TextKind<T>): QueryParameter<T> {
  return { schema, description, isRequired: true, read: (field, query) => read(field, textOf(field, query)) };
}

export function optional<T>(kind: TextKind<T>, description = kind.description): QueryParameter<T | undefined> {
  const read = (field: string, query: RawQuery) => {
    const text = textOf(field, query);
    return text === undefined ? undefined : kind.read(field, text);
  };
  return { schema: kind.schema, description, isRequired: false, read };
}

/** Optional, and malformed when empty: a client that lost the name of a market must not be taken to mean all markets. */
export function narrowing<T>(kind: TextKind<T>, description: string): QueryParameter<T | undefined> {
  const read = (field: string, query: RawQuery) => {
    const text = singleOf(field, query);
    return text === undefined ? undefined : kind.read(field, text);
  };
  return { schema: kind.schema, description, isRequired: false, read };
}

export function withDefault<T>(kind: TextKind<T>, fallback: T): QueryParameter<T> {
  const { read, ...rest } = optional(kind);
  return { ...rest, read: (field, query) => read(field, query) ?? fallback };
}

/** A parameter that is checked and required only if the handler reads it, because another source may supply the value. */
export function whenAsked<T>(kind: TextKind<T>, description: string): QueryParameter<() => T> {
  return { ...later(required(kind)), description, isRequired: false };
}

/** An optional filter that is checked when the handler reads it, after a parameter that comes first. */
export function narrowingWhenAsked<T>(kind: TextKind<T>, description: string): QueryParameter<() => T | undefined> {
  return later(narrowing(kind, description));
}

function later<V>({ read, ...rest }: QueryParameter<V>): QueryParameter<() => V> {
  return { ...rest, read: (field, query) => () => read(field, query) };
}

export const MARKET_ID = textKind({
  schema: Bytes32Text,
  description: 'Market identifier',
  expected: '0x and 64 hex digits',
  read: toLowerHex,
});

export const ORDER_HASH: typeof MARKET_ID = { ...MARKET_ID, description: 'Order identifier' };

export const ADDRESS_EXPECTED = 'an address: 0x and 40 hex digits';

export const WALLET = textKind({
  schema: AddressText,
  description: 'A wallet',
  expected: ADDRESS_EXPECTED,
  read: toLowerHex,
});

export const CHAIN_ID = textKind({
  schema: Type.String({ pattern: '^[0-9]{1,15}$' }),
  description: 'Chain id; one that is not served gives empty lists',
  expected: 'an integer',
  read: Number,
});

export const UNIX_SECONDS = textKind({
  schema: Type.String({ pattern: '^[0-9]{1,10}$' }),
  description: 'Unix seconds',
  read: Number,
});

const OUTCOMES: Readonly<Record<string, Outcome>> = { YES: 0, '0': 0, NO: 1, '1': 1 };

export const OUTCOME = textKind({
  schema: Type.String({ pattern: '^([yY][eE][sS]|[nN][oO]|0|1)$' }),
  description: 'YES or 0, NO or 1',
  read: (text) => OUTCOMES[text.toUpperCase()],
});

export const MARKET_NAME = textKind({
  schema: Type.String({ pattern: '^0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$' }),
  description: "A market's address or its id",
  expected: 'the id or the address of a market',
  read: (text) => parseBytes32(text) ?? parseAddress(text),
});

export const ASSET = textKind({
  schema: Type.String({ pattern: '^[A-Za-z0-9]{1,16}$' }),
  description: 'A symbol such as BTC, in any case',
  expected: 'a symbol of 1 to 16 letters and digits',
  read: parseAsset,
});

export const TRANSACTION_HASH = textKind({
  schema: Type.String(),
  description: 'Any string; an unknown one answers found: false',
  read: (text) => text,
});

export function cursorOf<T>(schema: TSchema, read: (text: string) => T | undefined, field = 'nextCursor'): TextKind<T> {
  const description = `\`${field}\` of the page before`;
  return textKind({ schema, description, expected: `the ${field} of an earlier answer`, read });
}

/** A limit; clamped above the maximum, refused below 1 or if not an integer. */
export function limitUpTo(maximum: number, fallback: number): TextKind<number> {
  return textKind({
    schema: Type.String({ pattern: '^0*[1-9][0-9]*$' }),
    description: `How many at most: 1 to ${maximum}, ${fallback} when absent; more is clamped`,
    expected: 'an integer of at least 1',
    read: (text) => Math.min(Number(text), maximum),
  });
}

/** A limit with a default. */
export function listLimit(maximum: number, fallback = maximum): QueryParameter<number> {
  return withDefault(limitUpTo(maximum, fallback), fallback);
}

export function choiceOf<const T extends string>(
  choices: readonly T[],
  description: string,
  expected = `one of ${choices.join(', ')}`,
): TextKind<T> {
  const read = (text: string) => choices.find((each) => each === text);
  return textKind({ schema: Type.Enum([...choices]), description, expected, read });
}
