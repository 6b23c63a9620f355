// Exports for programs that run the private chain inside their own process.
export type { ChainLog } from './chain-log.ts';
export type { BlockRecord, ChainRecord } from './chain-record.ts';
export { EdrNode } from './edr-node.ts';
export { Faults } from './faults.ts';
export { toHermesAnswer } from './feed/feed-request.ts';
export { SimulatedFeed } from './feed/simulated-feed.ts';
export { Ledger } from './ledger.ts';
export { type RecoveredChain, recoverChain } from './recovery.ts';
export { encodeError, encodeResult, type ParsedEntry, parseBody } from './rpc/json-rpc.ts';
export { RpcError, rpcCode } from './rpc/rpc-error.ts';
export { RpcRouter } from './rpc/rpc-router.ts';
export { SandboxChain } from './sandbox-chain.ts';
