// Entry point for browsers: light parts only, without validator, WebAssembly or Node. Schemas are exported as types.
import type { Static, TSchema } from 'typebox';

export * from './core/book-hash.ts';
export * from './core/chance.ts';
export * from './core/csv.ts';
export * from './core/errors.ts';
export * from './core/event-quote.ts';
export * from './core/fees.ts';
export * from './core/hex.ts';
export * from './core/ids.ts';
export * from './core/index-sets.ts';
export * from './core/json.ts';
export * from './core/limits.ts';
export * from './core/market-partitions.ts';
export * from './core/millionths.ts';
export * from './core/order.ts';
export * from './core/order-types.ts';
export * from './core/outcome-ids.ts';
export * from './core/units.ts';
export * from './core/valuation.ts';
export { EVENTS_PER_STEP } from './records/engine-commands.ts';
export * from './signing/bearer-token.ts';
export * from './signing/receipt.ts';
export * from './signing/signed-types.ts';

/** The value that a schema describes: `Wire<typeof Market>`, with `import type { Market }`. */
export type Wire<Schema extends TSchema> = Static<Schema>;
