// Every relayed operation that has an endpoint; the API's document takes the names of their bodies from here.
import { batchRedemptionOperation } from './batch-ctf-redemption.ts';
import { cancelOrderOperation } from './cancel-order.ts';
import { ctfApprovalOperation } from './ctf-approval.ts';
import { ctfRedemptionOperation } from './ctf-redemption.ts';
import { haltTradingOperation } from './halt-trading.ts';
import { invalidateNonceOperation } from './invalidate-nonce.ts';
import { mergeOperation } from './merge.ts';
import { proposeResolutionOperation } from './propose-resolution.ts';
import { resumeTradingOperation } from './resume-trading.ts';
import { settleMarketOperation } from './settle-market.ts';
import { splitOperation } from './split.ts';
import { stablecoinPermitOperation } from './stablecoin-permit.ts';

export * from './batch-ctf-redemption.ts';
export * from './cancel-order.ts';
export * from './ctf-approval.ts';
export * from './ctf-redemption.ts';
export * from './halt-trading.ts';
export * from './invalidate-nonce.ts';
export * from './merge.ts';
export * from './propose-resolution.ts';
export * from './resume-trading.ts';
export * from './settle-market.ts';
export * from './split.ts';
export * from './stablecoin-permit.ts';

/** In the order of the API's document. */
export const RELAY_OPERATIONS = [
  ctfApprovalOperation,
  stablecoinPermitOperation,
  ctfRedemptionOperation,
  batchRedemptionOperation,
  proposeResolutionOperation,
  settleMarketOperation,
  splitOperation,
  mergeOperation,
  cancelOrderOperation,
  haltTradingOperation,
  resumeTradingOperation,
  invalidateNonceOperation,
] as const;
