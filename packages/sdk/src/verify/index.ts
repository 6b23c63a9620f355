// `@presage/sdk/verify`: checks an exchange from outside, in Node and in a browser. Apart from the client, since it brings the engine along.
export type { ChainFindings } from './chain-check.ts';
export type { VerifiedPoint } from './frame-check.ts';
export { JournalVerifier, type JournalVerifierOptions } from './journal-verifier.ts';
export type { MarketSums } from './ledger.ts';
export { ReceiptCheck } from './receipt-check.ts';
export { checkSolvency } from './solvency.ts';
export {
  type KeptReceipt,
  type VerifyOptions,
  type VerifyProgress,
  type VerifyResult,
  verifyExchange,
} from './verify-exchange.ts';
export { VIOLATIONS, Violation, type ViolationKind } from './violation.ts';
