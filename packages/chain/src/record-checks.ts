// The scalars of the sender's and the watcher's records, as questions about any value.
import { compileLater } from '@presage/protocol/compile-later';
import { CountField, HashField } from '@presage/protocol/record-scalars';
import Type from 'typebox';

export type Check = (value: unknown) => boolean;

export const isHash = toCheck(HashField);
export const isCount = toCheck(CountField);
/** A uint256 as a bigint is written: without leading zeros. */
export const isAmount = toCheck(Type.String({ pattern: '^(0|[1-9][0-9]{0,77})$' }));
/** Whole bytes, none at all included, in the case the caller gave them. */
export const isBytes = toCheck(Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }));
export const isText = toCheck(Type.String({ minLength: 1, maxLength: 256 }));

function toCheck(schema: Type.TSchema): Check {
  const validator = compileLater(schema);
  return (value) => validator().Check(value);
}
