// `@presage/sdk/verify`: checks an exchange from outside, in Node and in a browser. Separate from the client because it includes the engine.
export type { ChainFindings } from './chain-check.ts';
export { NodeUnusable } from './chain-reads.ts';
export { checkEvents } from './checks/event-check.ts';
export type { VerifiedPoint } from './checks/frame-check.ts';
export { HistoryCheck, type HistoryCheckOptions, type HistoryCounts } from './checks/history-check.ts';
export type { MarketSums } from './checks/ledger.ts';
export { checkSolvency } from './checks/solvency.ts';
export { VIOLATIONS, Violation, type ViolationKind } from './checks/violation.ts';
export { JournalVerifier, type JournalVerifierOptions } from './journal-verifier.ts';
export type { KeptReceipt } from './partition-check.ts';
export { ReceiptCheck } from './receipt-check.ts';
export { type RecoverSigners, recoverHere } from './signer-queue.ts';
export { StateUnreadable } from './verifier-state.ts';
export {
  type VerifyOptions,
  type VerifyProgress,
  type VerifyResult,
  verifyExchange,
} from './verify-exchange.ts';
