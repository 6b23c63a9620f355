// The package's front door: everything other packages may import.
export type { FeeContext, FeeStrategy, Fees } from './fees.ts';
export { createFeeStrategy } from './fees.ts';
export type { BlockHeader, Receipt } from './node-reader.ts';
export { NodeReader } from './node-reader.ts';
export { OperationGivenUp } from './operation-waiters.ts';
export type { JsonRpcOptions, Rpc, RpcCall, RpcOutcome } from './rpc.ts';
export { JsonRpc } from './rpc.ts';
export type { RpcFailure, RpcUnavailableReason } from './rpc-errors.ts';
export { isRpcFailure, RpcError, RpcUnavailable } from './rpc-errors.ts';
export type { SenderAlarm } from './sender-alarms.ts';
export { SenderHalted } from './sender-ledger.ts';
export type { TransactionRequest, TransactionSenderOptions } from './sender-options.ts';
export type { SenderJournal, SenderRecord } from './sender-records.ts';
export { checkSenderRecord, SenderRecordInvalid } from './sender-records.ts';
export type { OperationStage, OperationView } from './sender-state.ts';
export { OperationConflict, SenderClosed, TransactionSender } from './transaction-sender.ts';
export type { TransactionAccount, UnsignedTransaction } from './transaction-signer.ts';
