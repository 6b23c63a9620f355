// The stateless checks of an order, in the order of docs/protocol.md; the first failure is the answer.
import { isSignature } from '../signing/signature.ts';
import type { OrderFields, OrderSubmission } from '../wire/order-submission.ts';
import type { Fault } from './fault.ts';
import { toChecksumAddress, ZERO_ADDRESS } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { Order } from './order.ts';
import { MAX_PRICE, MAX_SIZE, MIN_PRICE, type Price, type Size } from './units.ts';

export interface OrderCheckContext {
  readonly nowSeconds: number;
  readonly minOrderSize: number;
}

/** Converted once, because every order is compared with them. */
const [LOWEST_PRICE, HIGHEST_PRICE, LARGEST_SIZE] = [BigInt(MIN_PRICE), BigInt(MAX_PRICE), BigInt(MAX_SIZE)];

type Check = (fields: OrderFields, context: OrderCheckContext) => Fault | undefined;

const CHECKS: readonly Check[] = [checkPrice, checkSize, checkExpiration, checkFeeRecipient];

/** The first check that fails. */
export function checkOrder({ fields, signature }: OrderSubmission, context: OrderCheckContext): Fault | undefined {
  for (const check of CHECKS) {
    const fault = check(fields, context);
    if (fault !== undefined) return fault;
  }
  return isSignature(signature) ? undefined : signatureFault(signature);
}

/** All faults, for a client that wants to fix an order in one go. */
export function findOrderFaults(submission: OrderSubmission, context: OrderCheckContext): Fault[] {
  const faults = CHECKS.flatMap((check) => check(submission.fields, context) ?? []);
  return isSignature(submission.signature) ? faults : [...faults, signatureFault(submission.signature)];
}

/**
 * Brands the fields without checking them: price and size are in range only if the order passed the checks. A refused
 * order is hashed too, to name it in the answer.
 */
export function toOrder(fields: OrderFields): Order {
  return {
    marketId: fields.marketId,
    trader: fields.trader,
    side: fields.side,
    outcome: fields.outcome,
    price: Number(fields.price) as Price,
    size: Number(fields.size) as Size,
    nonce: fields.nonce,
    expiration: fields.expiration,
    makerFeeRecipient: fields.makerFeeRecipient,
  };
}

function checkPrice({ price }: OrderFields): Fault | undefined {
  if (price >= LOWEST_PRICE && price <= HIGHEST_PRICE) return undefined;
  return {
    code: 'price_out_of_range',
    details: { field: 'order.price', minimum: MIN_PRICE, maximum: MAX_PRICE, got: price },
  };
}

function checkSize({ size }: OrderFields, { minOrderSize }: OrderCheckContext): Fault | undefined {
  if (size === 0n) return { code: 'size_zero', details: { field: 'order.size' } };
  if (size > LARGEST_SIZE)
    return { code: 'size_too_large', details: { field: 'order.size', maximum: MAX_SIZE, got: size } };
  if (size >= BigInt(minOrderSize)) return undefined;
  return { code: 'size_too_small', details: { field: 'order.size', minimum: minOrderSize, got: size } };
}

function checkExpiration({ expiration }: OrderFields, { nowSeconds }: OrderCheckContext): Fault | undefined {
  const minimum = nowSeconds + LIMITS.minExpirationSeconds;
  if (expiration >= BigInt(minimum)) return undefined;
  return {
    code: 'expiration_too_soon',
    details: { field: 'order.expiration', now: nowSeconds, minimum, got: expiration },
  };
}

function checkFeeRecipient({ makerFeeRecipient }: OrderFields): Fault | undefined {
  if (makerFeeRecipient === ZERO_ADDRESS) return undefined;
  return {
    code: 'fee_recipient_not_zero',
    details: {
      field: 'order.makerFeeRecipient',
      expected: ZERO_ADDRESS,
      got: toChecksumAddress(makerFeeRecipient),
    },
  };
}

/** The fault of a signature that is neither a key's nor a contract wallet's. */
export function signatureFault(signature: string): Fault {
  const digits = signature.replace(/^0x/i, '');
  const got = /^[0-9a-f]*$/i.test(digits)
    ? { gotDigits: digits.length }
    : { reason: 'it has characters that are no hex digits' };
  return {
    code: 'invalid_signature_length',
    details: { field: 'signature', expected: '65 bytes: 130 hex digits', ...got },
  };
}
