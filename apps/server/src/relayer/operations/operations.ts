// Every operation that the relayer sends, by its name: the only selectors that it ever calls.
import type { RelayerOperation } from '@presage/protocol';
import type { RequestMap } from '../ports.ts';
import { relayedBatch } from './batch-ctf-redemption.ts';
import { relayedCancel } from './cancel-order.ts';
import { relayedApproval } from './ctf-approval.ts';
import { relayedRedemption } from './ctf-redemption.ts';
import { relayedHalt } from './halt-trading.ts';
import { relayedInvalidation } from './invalidate-nonce.ts';
import { relayedMerge } from './merge.ts';
import type { RelayedOperation } from './operation.ts';
import { relayedOrderPermit } from './order-permit.ts';
import { relayedProposal } from './propose-resolution.ts';
import { relayedResumption } from './resume-trading.ts';
import { relayedSettling } from './settle-market.ts';
import { relayedSplit } from './split.ts';
import { relayedPermit } from './stablecoin-permit.ts';

export const OPERATIONS: { readonly [Name in RelayerOperation]: RelayedOperation<RequestMap[Name]> } = {
  'ctf-approval': relayedApproval,
  'stablecoin-permit': relayedPermit,
  'ctf-redemption': relayedRedemption,
  'batch-ctf-redemption': relayedBatch,
  'propose-resolution': relayedProposal,
  'settle-market': relayedSettling,
  split: relayedSplit,
  merge: relayedMerge,
  'order-permit': relayedOrderPermit,
  'cancel-order': relayedCancel,
  'halt-trading': relayedHalt,
  'resume-trading': relayedResumption,
  'invalidate-nonce': relayedInvalidation,
};
