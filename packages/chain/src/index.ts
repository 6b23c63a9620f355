// Everything that other packages may import.

export { isSizeRefusal } from './broadcast-answer.ts';

export type { Contracts, Deployment, QuickContracts } from './contracts.ts';
export { createContracts } from './contracts.ts';
export { FailoverRpc } from './failover-rpc.ts';

export { createFeeStrategy } from './fees.ts';
export { type HttpAnswer, type Post, PostTimeout } from './http-post.ts';

export type { WatchedLog } from './log-reader.ts';

export type { Rewind, WatchedBlock } from './log-watcher.ts';
export { LogWatcher } from './log-watcher.ts';
export type { LogFilter } from './logs-bloom.ts';
export type { ReadResults } from './multicall.ts';

export { NodeReader } from './node-reader.ts';
export type { OperationView } from './operation-view.ts';

export type { SettleBatchArguments } from './packed-batch.ts';
export { packBatch } from './packed-batch.ts';
export { followRecentTip } from './recent-tip.ts';
export { withRefusals } from './refusals.ts';
export type { DecodedRevert } from './reverts.ts';
export type { Rpc } from './rpc.ts';
export { JsonRpc } from './rpc.ts';

export { isRpcFailure, RpcError, RpcUnavailable } from './rpc-errors.ts';

export type { TransactionRequest } from './sender-options.ts';
export { RETAINED_OPERATIONS } from './sender-options.ts';
export type { SenderPort, WatchedSenderPort } from './sender-port.ts';
export type { SenderJournal } from './sender-records.ts';
export type { SenderSnapshot } from './sender-state.ts';
export { SenderState } from './sender-state.ts';

export { SenderClosed, TransactionSender } from './transaction-sender.ts';

export type { ContractCall, ContractRead } from './typed-contract.ts';
export { ContractReverted, callContract } from './typed-contract.ts';
