// What an answer is: the type of its published schema, and read-only.
import type * as wire from '@presage/protocol/wire';
import type { Static, TSchema } from 'typebox';

export type Answer<Schema extends TSchema> = Frozen<Static<Schema>>;

/** The answer whose schema has this name. */
export type Wire<Name extends keyof typeof wire> = (typeof wire)[Name] extends infer Schema extends TSchema
  ? Answer<Schema>
  : never;

/** Lists of the domain are read-only, and are answered without being copied. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
