// Types that the engine imports: the part of the protocol that needs only the language: no clock, encoder or platform.
export * from '../core/book-hash.ts';
export * from '../core/errors.ts';
export * from '../core/fees.ts';
export * from '../core/hex.ts';
export * from '../core/ids.ts';
export * from '../core/market.ts';
export * from '../core/order.ts';
export * from '../core/resolution.ts';
export * from '../core/sha256.ts';
export * from '../core/sort-keys.ts';
export * from '../core/units.ts';
export * from './engine-commands.ts';
export * from './engine-events.ts';
