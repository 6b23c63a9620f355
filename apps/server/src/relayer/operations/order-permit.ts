// The permit that comes with an order as a call: the permit names its nonce, and the settlement contract is its spender.
import { stablecoinPermitOperation } from '@presage/protocol';
import type { OrderPermitRequest } from '../ports.ts';
import { relayedOperation } from './operation.ts';
import { relayedPermit } from './stablecoin-permit.ts';

const { gas, call, signatureFault } = relayedPermit;

export const relayedOrderPermit = relayedOperation<OrderPermitRequest>(stablecoinPermitOperation, {
  gas,
  call,
  ...(signatureFault && { signatureFault }),
  nonceOf: ({ nonce }) => nonce,
  // An order's permit and the same permit posted by itself are one transaction.
  sentAs: stablecoinPermitOperation.name,
});
