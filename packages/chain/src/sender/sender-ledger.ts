// Makes records durable, applies them and notifies listeners: the only place where the sender's state changes.

import { isObject } from '@presage/protocol';
import { compileLater } from '@presage/protocol/compile-later';
import { SENDER_RECORD_VERSION, SENDER_SHAPES, type SenderRecord } from '@presage/protocol/sender-records';
import type { TSchema } from 'typebox';
import { keccak256 } from 'viem';
import type { Slot } from './nonce-slot.ts';
import type { OperationView } from './operation-view.ts';
import { type SenderSnapshot, SenderState } from './sender-state.ts';

/** Durable storage of records. Records appended in one order must be stored in that order. */
export interface SenderJournal {
  /** Resolves when the record is durable; a rejection halts the sender for good. */
  append(record: SenderRecord): Promise<void>;
}

class SenderRecordInvalid extends Error {
  override readonly name = 'SenderRecordInvalid';
}

const CHECKERS = new Map(
  Object.entries<TSchema>(SENDER_SHAPES).map(([type, shape]) => [type, compileLater(shape)] as const),
);

/** Returns the value as a record, or throws naming the first invalid field. */
export function checkSenderRecord(value: unknown): SenderRecord {
  const { v, type } = fieldsOf(value);
  if (v !== SENDER_RECORD_VERSION) throw new SenderRecordInvalid(`unknown version ${String(v)}`);
  const checker = CHECKERS.get(String(type))?.();
  if (checker === undefined) throw new SenderRecordInvalid(`unknown type ${String(type)}`);
  const [first] = checker.Check(value) ? [] : checker.Errors(value);
  if (first !== undefined) throw new SenderRecordInvalid(`${String(type)}${first.instancePath} ${first.message}`);
  // The shape was checked, and shapes and types agree.
  return value as SenderRecord;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new SenderRecordInvalid('not an object');
}

/** The journal refused a record: it is unknown what is durable, so this sender does nothing any more. */
export class SenderHalted extends Error {
  override readonly name = 'SenderHalted';
}

export interface SenderLedgerOptions {
  readonly journal: SenderJournal;
  /** State of this sender in a checkpoint of the journal. */
  readonly snapshot?: SenderSnapshot | undefined;
  /** All records of this sender after the checkpoint, oldest first. */
  readonly records: Iterable<unknown>;
  /** Number of finished operations that are remembered for callers that ask or repeat a request. */
  readonly retainFinalized: number;
  readonly onChange: (operation: OperationView) => void;
}

type Unstamped<R> = R extends SenderRecord ? Omit<R, 'v' | 'operationId' | 'nonce'> : never;

/** A record without the fields that every record of its slot shares. */
export type RecordBody = Unstamped<SenderRecord>;

export class SenderLedger {
  readonly state: SenderState;
  readonly #journal: SenderJournal;
  readonly #onChange: (operation: OperationView) => void;
  #halted: SenderHalted | null = null;

  constructor(options: SenderLedgerOptions) {
    this.#journal = options.journal;
    this.#onChange = options.onChange;
    const { retainFinalized, snapshot } = options;
    this.state = new SenderState({ retainFinalized, snapshot });
    for (const record of options.records) this.state.apply(checkSenderRecord(record));
    // Only transactions that are not mined are hashed: hashing all takes longer than reading them, and a mined one is
    // sent again only after losing its block.
    for (const slot of this.state.slots()) if (slot.mined === null) assertBytesMatchHashes(slot);
  }

  get halted(): SenderHalted | null {
    return this.#halted;
  }

  /**
   * Resolves when all records are durable and applied. A crash may leave any prefix of them, which must make sense
   * alone.
   */
  async commit(records: readonly SenderRecord[]): Promise<void> {
    if (this.#halted !== null) throw this.#halted;
    for (const record of records) this.#check(record);
    try {
      await Promise.all(records.map((record) => this.#journal.append(record)));
    } catch (cause) {
      this.#halted ??= new SenderHalted('the journal refused a record', { cause });
      throw this.#halted;
    }
    for (const record of records) this.#apply(record);
  }

  #check(record: SenderRecord): void {
    checkSenderRecord(record);
    const displaced = record.type === 'transaction-unmined' ? this.state.slot(record.nonce) : undefined;
    if (displaced !== undefined) assertBytesMatchHashes(displaced);
  }

  #apply(record: SenderRecord): void {
    const before = this.state.operation(record.operationId);
    this.state.apply(record);
    const after = this.state.operation(record.operationId);
    if (after !== undefined && hasChanged(before, after)) this.#onChange(after);
  }
}

export function toRecord(slot: Slot, body: RecordBody): SenderRecord {
  return { v: SENDER_RECORD_VERSION, operationId: slot.operationId, nonce: slot.nonce, ...body };
}

function assertBytesMatchHashes(slot: Slot): void {
  const bad = slot.attempts.find(({ raw, hash }) => keccak256(raw) !== hash);
  if (bad !== undefined)
    throw new SenderRecordInvalid(`signed bytes of nonce ${slot.nonce} do not hash to ${bad.hash}`);
}

function hasChanged(before: OperationView | undefined, after: OperationView): boolean {
  return (
    before?.stage !== after.stage ||
    before.hash !== after.hash ||
    before.blockHash !== after.blockHash ||
    before.reason !== after.reason
  );
}
