// Types of answers: the type of the published schema, read-only.
import type * as wire from '@presage/protocol/wire';
import type { Static, TSchema } from 'typebox';

export type Answer<Schema extends TSchema> = Frozen<Static<Schema>>;

/** The answer type of a wire schema, by the schema's name. */
export type Wire<Name extends keyof typeof wire> = (typeof wire)[Name] extends infer Schema extends TSchema
  ? Answer<Schema>
  : never;

/** Read-only in depth, so that the domain's read-only lists can be answered without a copy. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
