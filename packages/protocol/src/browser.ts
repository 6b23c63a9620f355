// The words a browser needs, light: no validator, no WebAssembly, no Node. Schemas are had from here as types only.
import type { Static, TSchema } from 'typebox';

export * from './bearer-token.ts';
export * from './book-hash.ts';
export * from './chance.ts';
export { EVENTS_PER_STEP } from './engine-commands.ts';
export * from './errors.ts';
export * from './hex.ts';
export * from './ids.ts';
export * from './json.ts';
export * from './limits.ts';
export * from './market-partitions.ts';
export * from './millionths.ts';
export * from './operation-types.ts';
export * from './order.ts';
export * from './order-types.ts';
export * from './receipt.ts';
export * from './units.ts';

/** What travels under a schema: `Wire<typeof Market>`, with `import type { Market }`. */
export type Wire<Schema extends TSchema> = Static<Schema>;
