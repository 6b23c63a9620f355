// Where the records of a transaction sender go, and their check before they are written and after they are read.
import { isObject } from '@presage/protocol';
import { compileLater } from '@presage/protocol/compile-later';
import { SENDER_RECORD_VERSION, SENDER_SHAPES, type SenderRecord } from '@presage/protocol/sender-records';
import type { TSchema } from 'typebox';

/** Where records go. Records appended in one order must be stored in that order. */
export interface SenderJournal {
  /** Resolves when the record is durable; a rejection ends the sender for good. */
  append(record: SenderRecord): Promise<void>;
}

export class SenderRecordInvalid extends Error {
  override readonly name = 'SenderRecordInvalid';
}

const CHECKERS = new Map(
  Object.entries<TSchema>(SENDER_SHAPES).map(([type, shape]) => [type, compileLater(shape)] as const),
);

/** Returns the value as a record, or throws naming the first field that is wrong. */
export function checkSenderRecord(value: unknown): SenderRecord {
  const { v, type } = fieldsOf(value);
  if (v !== SENDER_RECORD_VERSION) throw new SenderRecordInvalid(`unknown version ${String(v)}`);
  const checker = CHECKERS.get(String(type))?.();
  if (checker === undefined) throw new SenderRecordInvalid(`unknown type ${String(type)}`);
  const [first] = checker.Check(value) ? [] : checker.Errors(value);
  if (first !== undefined) throw new SenderRecordInvalid(`${String(type)}${first.instancePath} ${first.message}`);
  // The shape has been checked, and shapes and types say the same.
  return value as SenderRecord;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new SenderRecordInvalid('not an object');
}
