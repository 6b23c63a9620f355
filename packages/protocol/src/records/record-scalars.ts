// Scalar schemas of journal records: each carries the type that the program uses for the value.
import Type, { type Static, type TSchema } from 'typebox';
import type { Address, Bytes32 } from '../core/ids.ts';
import { MAX_PRICE, MAX_SIZE, MIN_PRICE, type Price, type Size } from '../core/units.ts';

export const HashField = Type.Unsafe<Bytes32>(Type.String({ pattern: '^0x[0-9a-f]{64}$' }));
export const AddressField = Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-f]{40}$' }));
export const BytesField = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x([0-9a-f]{2})+$' }));
export const CountField = Type.Integer({ minimum: 0 });
export const SizeField = Type.Unsafe<Size>(Type.Integer({ minimum: 1, maximum: MAX_SIZE }));
export const PriceField = Type.Unsafe<Price>(Type.Integer({ minimum: MIN_PRICE, maximum: MAX_PRICE }));
export const BitField = Type.Union([Type.Literal(0), Type.Literal(1)]);
/** An outcome, or 2 where each share is to pay half. */
export const ProposedOutcomeField = Type.Union([BitField, Type.Literal(2)]);
/** A uint256. */
export const DecimalField = Type.String({ pattern: '^[0-9]{1,78}$' });
export const SignedDecimalField = Type.String({ pattern: '^-?[0-9]{1,78}$' });
/** A key's signature has 65 bytes; a contract wallet's may have more. */
export const SignatureField = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x([0-9a-f]{2}){65,}$' }));
/** The winner, or -1 when each share pays half. */
export const ClaimOutcomeField = Type.Union([BitField, Type.Literal(-1)]);

/** The type of a schema, made deeply readonly: records are never changed. */
export type DeepReadonly<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** The record type of a shape, with its name in the table. */
export type RecordIn<Shapes extends Record<string, TSchema>, Name extends keyof Shapes & string> = {
  readonly type: Name;
} & DeepReadonly<Static<Shapes[Name]>>;
