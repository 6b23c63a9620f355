// The durable records of a transaction sender: which nonce belongs to which operation, and the fate of its
// transactions.
import Type, { type Static } from 'typebox';
import type { Hex } from '../core/hex.ts';
import { CountField, type DeepReadonly, HashField } from './record-scalars.ts';

export const SENDER_RECORD_VERSION = 1;

/** A uint256 in the text form of a bigint: without leading zeros. */
const AmountField = Type.String({ pattern: '^(0|[1-9][0-9]{0,77})$' });
/** Whole bytes, possibly none, in the letter case of the caller. */
const DataField = Type.Unsafe<Hex>(Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }));
const ToField = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }));
const TextField = Type.String({ minLength: 1, maxLength: 256 });
const HexHashField = Type.Unsafe<Hex>(HashField);

function shapeOf<const Name extends string, Fields extends Type.TProperties>(type: Name, fields: Fields) {
  return Type.Object({
    v: Type.Literal(SENDER_RECORD_VERSION),
    type: Type.Literal(type),
    operationId: TextField,
    nonce: CountField,
    ...fields,
  });
}

/** The transaction's call; amounts are decimal strings so that a record is plain JSON. */
const RequestJson = Type.Object({ to: ToField, data: DataField, value: AmountField, gasLimit: AmountField });

export const SENDER_SHAPES = {
  /** The nonce belongs to this operation from now on. `gap`: a self-transfer that only fills a hole in the nonces. */
  'nonce-reserved': shapeOf('nonce-reserved', {
    purpose: Type.Enum(['operation', 'gap']),
    request: RequestJson,
  }),
  /** Signed bytes that may leave the process from now on. `free`: a self-transfer in place of the payload. */
  'transaction-signed': shapeOf('transaction-signed', {
    attempt: CountField,
    kind: Type.Enum(['payload', 'free']),
    hash: HexHashField,
    raw: DataField,
    maxFeePerGas: AmountField,
    maxPriorityFeePerGas: AmountField,
  }),
  /** A node was seen to hold this transaction. */
  'transaction-broadcast': shapeOf('transaction-broadcast', { hash: HexHashField }),
  'transaction-mined': shapeOf('transaction-mined', {
    hash: HexHashField,
    blockNumber: CountField,
    blockHash: HexHashField,
    status: Type.Enum(['success', 'reverted']),
  }),
  /** The block of the transaction is no longer part of the chain. */
  'transaction-unmined': shapeOf('transaction-unmined', { hash: HexHashField, blockHash: HexHashField }),
  'transaction-confirmed': shapeOf('transaction-confirmed', { hash: HexHashField, blockHash: HexHashField }),
  /** The transaction is too deep in the chain to be watched any longer; the nonce is closed. */
  'transaction-finalized': shapeOf('transaction-finalized', { hash: HexHashField }),
  /** The operation is no longer wanted: its nonce will be freed by a self-transfer. */
  'operation-abandoned': shapeOf('operation-abandoned', { reason: TextField }),
  /** A transaction from outside took the nonce and is too deep to vanish: ours can never be mined there. */
  'nonce-lost': shapeOf('nonce-lost', {
    foreignHash: HexHashField,
    blockNumber: CountField,
    blockHash: HexHashField,
  }),
};

type SenderRecordType = keyof typeof SENDER_SHAPES;
type SenderRecordOf<Name extends SenderRecordType> = DeepReadonly<Static<(typeof SENDER_SHAPES)[Name]>>;

export type RecordedRequest = DeepReadonly<Static<typeof RequestJson>>;
export type NonceReserved = SenderRecordOf<'nonce-reserved'>;
export type TransactionSigned = SenderRecordOf<'transaction-signed'>;
export type TransactionMined = SenderRecordOf<'transaction-mined'>;
export type TransactionUnmined = SenderRecordOf<'transaction-unmined'>;
export type TransactionConfirmed = SenderRecordOf<'transaction-confirmed'>;
export type OperationAbandoned = SenderRecordOf<'operation-abandoned'>;
export type NonceLost = SenderRecordOf<'nonce-lost'>;
export type SenderRecord = { [Name in SenderRecordType]: SenderRecordOf<Name> }[SenderRecordType];
