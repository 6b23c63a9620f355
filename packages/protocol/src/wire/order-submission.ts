// The body of POST /api/v1/orders: its schema, and its conversion to typed fields.
import Type from 'typebox';
import type { Parsed } from '../core/fault.ts';
import { toLowerHex } from '../core/hex.ts';
import { type Address, type Bytes32, ZERO_ADDRESS } from '../core/ids.ts';
import { MAX_UINT64, MAX_UINT256 } from '../core/limits.ts';
import {
  DEFAULT_TERMS,
  makeTerms,
  type OrderTerms,
  type Outcome,
  type PermitSignature,
  type Side,
} from '../core/order.ts';
import { termInputs } from '../core/order-term-schemas.ts';
import { bodyShape } from './body-shape.ts';
import { fieldFaultAt } from './field-fault.ts';
import {
  AddressText,
  BitInput,
  Bytes32Text,
  PriceInput,
  SizeInput,
  toBigInteger,
  Uint8Input,
  Uint64Input,
  Uint256Input,
} from './scalars.ts';

export const OrderInput = Type.Object({
  marketId: Bytes32Text,
  trader: AddressText,
  side: BitInput,
  outcome: BitInput,
  price: PriceInput,
  size: SizeInput,
  nonce: Uint64Input,
  expiration: Uint64Input,
  makerFeeRecipient: AddressText,
});

export const PermitSignatureInput = Type.Object({
  nonce: Uint64Input,
  value: Uint256Input,
  deadline: Uint64Input,
  v: Uint8Input,
  r: Bytes32Text,
  s: Bytes32Text,
});

/** Well-formed in every field; the signature has the right length but no signer. */
export const ORDER_EXAMPLE = {
  order: {
    marketId: `0x${'5a'.repeat(32)}`,
    trader: '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
    side: 0,
    outcome: 0,
    price: 550_000,
    size: 10_000_000,
    nonce: 1,
    // 1 January 2100.
    expiration: 4_102_444_800,
    makerFeeRecipient: ZERO_ADDRESS,
  },
  signature: `0x${'1f'.repeat(64)}1b`,
  timeInForce: 'GTC',
};

export const OrderSubmissionInput = Type.Object(
  {
    order: OrderInput,
    signature: Type.String({ description: '65 bytes of hex' }),
    permitSignature: Type.Optional(PermitSignatureInput),
    ...termInputs(),
  },
  { examples: [ORDER_EXAMPLE] },
);

/** Well-formed fields, not yet checked: price and size may be out of range. */
export interface OrderFields {
  readonly marketId: Bytes32;
  readonly trader: Address;
  readonly side: Side;
  readonly outcome: Outcome;
  readonly price: bigint;
  readonly size: bigint;
  readonly nonce: bigint;
  readonly expiration: bigint;
  readonly makerFeeRecipient: Address;
}

export interface OrderSubmission {
  readonly fields: OrderFields;
  readonly signature: string;
  readonly terms: OrderTerms;
  readonly permit?: PermitSignature;
}

const shape = bodyShape(OrderSubmissionInput);

export function parseOrderSubmission(sent: unknown): Parsed<OrderSubmission> {
  const body = shape.read(sent);
  if (body === undefined) return { ok: false, fault: shape.faultOf(sent) };
  const fields = toFields(body.order);
  if (typeof fields === 'string') return outOfRange(['order', fields], body);
  const permit = body.permitSignature === undefined ? undefined : toPermit(body.permitSignature);
  if (typeof permit === 'string') return outOfRange(['permitSignature', permit], body);
  const terms = toTerms(body);
  const { signature } = body;
  return {
    ok: true,
    value: permit === undefined ? { fields, signature, terms } : { fields, signature, terms, permit },
  };
}

function outOfRange(path: readonly string[], body: unknown): Parsed<never> {
  return { ok: false, fault: fieldFaultAt(path, { schema: OrderSubmissionInput, body }) };
}

/**
 * The fields, or the name of the first whose decimal string exceeds its type. Lists the fields instead of spreading:
 * every order passes here.
 */
function toFields(input: Type.Static<typeof OrderInput>): OrderFields | string {
  const price = toBigInteger(input.price, MAX_UINT64);
  if (price === undefined) return 'price';
  const size = toBigInteger(input.size, MAX_UINT64);
  if (size === undefined) return 'size';
  const nonce = toBigInteger(input.nonce, MAX_UINT64);
  if (nonce === undefined) return 'nonce';
  const expiration = toBigInteger(input.expiration, MAX_UINT64);
  if (expiration === undefined) return 'expiration';
  const [side, outcome] = [Number(input.side), Number(input.outcome)];
  // The pattern of a bit accepts any one digit.
  if (side !== 0 && side !== 1) return 'side';
  if (outcome !== 0 && outcome !== 1) return 'outcome';
  return {
    marketId: toLowerHex(input.marketId),
    trader: toLowerHex(input.trader),
    side,
    outcome,
    price,
    size,
    nonce,
    expiration,
    makerFeeRecipient: toLowerHex(input.makerFeeRecipient),
  };
}

function toPermit(input: Type.Static<typeof PermitSignatureInput>): PermitSignature | string {
  const nonce = toBigInteger(input.nonce, MAX_UINT64);
  if (nonce === undefined) return 'nonce';
  const value = toBigInteger(input.value, MAX_UINT256);
  if (value === undefined) return 'value';
  const deadline = toBigInteger(input.deadline, MAX_UINT64);
  if (deadline === undefined) return 'deadline';
  const v = Number(input.v);
  if (v > 255) return 'v';
  return { nonce, value, deadline, v, r: toLowerHex(input.r), s: toLowerHex(input.s) };
}

function toTerms(input: Partial<OrderTerms>): OrderTerms {
  return makeTerms((name) => input[name] ?? DEFAULT_TERMS[name]);
}
