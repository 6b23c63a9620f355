// Exports of the package.

export type { ReadResults } from './contracts.ts';
export {
  type Contracts,
  createContracts,
  type Deployment,
  type EventContracts,
  type QuickContracts,
} from './contracts.ts';
export { type ContractsFeatures, readContractsFeatures } from './contracts-version.ts';
export {
  type EventTerms,
  type EventTexts,
  OUTCOMES_TOGETHER,
  readEventTexts,
  toEventCreation,
  toListingCall,
} from './event-terms.ts';
export { FailoverRpc } from './failover-rpc.ts';
export { type HttpAnswer, type Post, PostTimeout } from './http-post.ts';
export { JsonRpc } from './json-rpc.ts';
export type { LogFilter, WatchedLog } from './log-reader.ts';
export { LogWatcher, type Rewind, type WatchedBlock } from './log-watcher.ts';
export { type MarketTerms, toCreation, toCreationCall } from './market-creation.ts';
export { FEES_FIXED, readMarketFees } from './market-fees.ts';
export { NodeReader } from './node-reader.ts';
export { packBatch, type SettleBatchArguments } from './packed-batch.ts';
export { parseQuantity } from './quantity.ts';
export type { DecodedRevert } from './reverts.ts';
export { isRpcFailure, type Rpc, RpcError, RpcUnavailable } from './rpc.ts';
export { openFees, toWei } from './sender/fees.ts';
export { isSizeRefusal } from './sender/nonce-broadcaster.ts';
export type { OperationView } from './sender/operation-view.ts';
export { sendOnce } from './sender/send-once.ts';
export type { SenderAlarm } from './sender/sender-alarms.ts';
export type { SenderJournal } from './sender/sender-ledger.ts';
export type { HoldableSenderPort, SenderPort, WatchedSenderPort } from './sender/sender-options.ts';
export { RETAINED_OPERATIONS, type TransactionRequest } from './sender/sender-options.ts';
export { type SenderSnapshot, SenderState } from './sender/sender-state.ts';
export { SenderClosed, TransactionSender } from './sender/transaction-sender.ts';
export { SizeLimit } from './size-limit.ts';
export {
  type ContractCall,
  type ContractRead,
  ContractReverted,
  callContract,
  type ReadBlock,
  TypedContract,
  withRefusals,
} from './typed-contract.ts';
