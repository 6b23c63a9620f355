// What an answer is: the type of its published schema, and read-only.
import type { Static, TSchema } from 'typebox';

export type Answer<Schema extends TSchema> = Frozen<Static<Schema>>;

/** Lists of the domain are read-only, and are answered without being copied. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
