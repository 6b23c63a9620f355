// The words of Presage, in one place: what every other room speaks.
export * from './book-hash.ts';
export * from './engine-commands.ts';
export * from './engine-events.ts';
export * from './errors.ts';
export * from './hex.ts';
export * from './ids.ts';
export * from './market.ts';
export * from './order.ts';
export * from './units.ts';
