// The words the engine speaks: the part of the protocol that needs the language alone, no clock, no encoder, no platform.
export * from './book-hash.ts';
export * from './engine-commands.ts';
export * from './engine-events.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './market.ts';
export * from './order.ts';
export * from './resolution.ts';
export * from './sha256.ts';
export * from './units.ts';
