// From the body of a relayer endpoint to a signed request: shape first, then addresses, then signatures, as docs/protocol.md orders them.
import type Type from 'typebox';
import { compileLater } from '../core/compile-later.ts';
import type { Fault, Parsed } from '../core/fault.ts';
import type { Hex } from '../core/hex.ts';
import { type Address, type Bytes32, isAddress, isBytes32 } from '../core/ids.ts';
import { LIMITS, MAX_UINT64, MAX_UINT256 } from '../core/limits.ts';
import type { ProposedOutcome } from '../core/resolution.ts';
import { firstFieldFault } from '../wire/field-fault.ts';
import {
  BatchRedemptionInput,
  CancelOrderInput,
  CtfApprovalInput,
  CtfRedemptionInput,
  HaltInput,
  InvalidateNonceInput,
  ProposeResolutionInput,
  SettleMarketInput,
  SplitInput,
  StablecoinPermitInput,
} from '../wire/relayer.ts';

/** v is 27 or 28; a client that counts from 0 means the same. */
export interface Signature {
  readonly deadline: bigint;
  readonly v: number;
  readonly r: Bytes32;
  readonly s: Bytes32;
  /** Of a wallet that is a contract (EIP-1271), in place of v, r and s, which are zero then. */
  readonly walletSignature?: Hex;
}

interface Owned {
  readonly chainId: bigint;
  readonly owner: Address;
}

export interface Redemption extends Signature {
  readonly collateralToken: Address;
  readonly parentCollectionId: Bytes32;
  readonly conditionId: Bytes32;
  readonly indexSets: readonly bigint[];
  readonly marketAddress?: Address;
}

export interface CtfApprovalRequest extends Owned, Signature {
  readonly operator: Address;
  readonly approved: boolean;
}
export interface StablecoinPermitRequest extends Owned, Signature {
  readonly spender: Address;
  readonly value: bigint;
}
export interface CtfRedemptionRequest extends Owned, Redemption {}
export interface BatchRedemptionRequest extends Owned {
  readonly redemptions: readonly Redemption[];
}
/** Of a split or a merge. */
export interface AmountRequest extends Owned, Signature {
  readonly collateralToken: Address;
  readonly conditionId: Bytes32;
  readonly amount: bigint;
}
export interface ProposeResolutionRequest extends Owned, Signature {
  readonly marketAddress: Address;
  readonly outcome: ProposedOutcome;
  readonly bondPermit?: Signature;
}
export interface SettleMarketRequest extends Owned, Signature {
  readonly marketAddress: Address;
  readonly winningOutcome: ProposedOutcome;
}

/** Takes an order back on the chain, where nobody can settle it any more. */
export interface CancelOrderRequest extends Owned, Signature {
  readonly marketId: Bytes32;
  readonly orderNonce: bigint;
}
export interface HaltRequest extends Owned, Signature {}
export interface InvalidateNonceRequest extends Owned, Signature {
  readonly contract: Address;
}

type Fields = Readonly<Record<string, unknown>>;

/** One meaning each, on every endpoint. */
const ADDRESS_FIELDS = [
  'owner',
  'proposer',
  'settler',
  'operator',
  'spender',
  'collateralToken',
  'marketAddress',
  'contract',
];
const SIGNATURE_FIELDS = ['r', 's', 'bondR', 'bondS'];
const KEY_FIELDS = ['v', 'r', 's'];
/** As much as the contracts take; a wallet's signature is longer than a key's, or not hex digits in pairs. */
const WALLET_SIGNATURE = new RegExp(`^0x([0-9a-f]{2}){1,${LIMITS.walletSignatureBytes}}$`, 'i');
const NO_WORD = `0x${'00'.repeat(32)}` as Bytes32;
const UINT8_FIELDS = ['v', 'bondV'];
const UINT256_FIELDS = ['deadline', 'value', 'amount', 'bondPermitDeadline'];
const BOND_FIELDS = ['bondPermitDeadline', 'bondV', 'bondR', 'bondS'];

class RequestFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.code);
    this.fault = fault;
  }
}

function parserOf<T>(schema: Type.TSchema, convert: (fields: Fields) => T): (body: unknown) => Parsed<T> {
  const shape = compileLater(schema);
  return (body) => {
    try {
      if (!shape().Check(body)) throw invalidBody(firstFieldFault([...shape().Errors(body)], schema));
      judgeSpelling(body as Fields);
      return { ok: true, value: convert(body as Fields) };
    } catch (error) {
      if (error instanceof RequestFault) return { ok: false, fault: error.fault };
      throw error;
    }
  };
}

export const parseCtfApproval = parserOf<CtfApprovalRequest>(CtfApprovalInput, (fields) => ({
  ...toOwned(fields),
  ...toSignature(fields),
  operator: toAddress(fields.operator),
  approved: fields.approved as boolean,
}));

export const parseStablecoinPermit = parserOf<StablecoinPermitRequest>(StablecoinPermitInput, (fields) => ({
  ...toOwned(fields),
  ...toSignature(fields),
  spender: toAddress(fields.spender),
  value: toInteger(fields, 'value'),
}));

export const parseCtfRedemption = parserOf<CtfRedemptionRequest>(CtfRedemptionInput, (fields) => ({
  ...toOwned(fields),
  ...toRedemption(fields),
}));

export const parseBatchRedemption = parserOf<BatchRedemptionRequest>(BatchRedemptionInput, (fields) => ({
  ...toOwned(fields),
  redemptions: (fields.redemptions as Fields[]).map(toRedemption),
}));

export const parseAmountRequest = parserOf<AmountRequest>(SplitInput, (fields) => ({
  ...toOwned(fields),
  ...toSignature(fields),
  collateralToken: toAddress(fields.collateralToken),
  conditionId: toBytes32(fields.conditionId),
  amount: toInteger(fields, 'amount'),
}));

export const parseProposeResolution = parserOf<ProposeResolutionRequest>(ProposeResolutionInput, (fields) => ({
  ...toOwned({ ...fields, owner: fields.proposer }),
  ...toSignature(fields),
  marketAddress: toAddress(fields.marketAddress),
  outcome: toProposedOutcome(fields),
  ...toBondPermit(fields),
}));

export const parseSettleMarket = parserOf<SettleMarketRequest>(SettleMarketInput, (fields) => ({
  ...toOwned({ ...fields, owner: fields.settler }),
  ...toSignature(fields),
  marketAddress: toAddress(fields.marketAddress),
  winningOutcome: Number(toInteger(fields, 'winningOutcome', 2n)) as ProposedOutcome,
}));

export const parseCancelOrder = parserOf<CancelOrderRequest>(CancelOrderInput, (fields) => ({
  ...toOwned(fields),
  ...toSignature(fields),
  marketId: toBytes32(fields.marketId),
  orderNonce: toInteger(fields, 'orderNonce', MAX_UINT64),
}));

export const parseHalt = parserOf<HaltRequest>(HaltInput, (fields) => ({ ...toOwned(fields), ...toSignature(fields) }));

export const parseInvalidateNonce = parserOf<InvalidateNonceRequest>(InvalidateNonceInput, (fields) => ({
  ...toOwned(fields),
  ...toSignature(fields),
  contract: toAddress(fields.contract),
}));

/** Ranges that a decimal string slips past belong to the shape, so they come before any address. */
function judgeSpelling(body: Fields): void {
  const parts = [body, ...((body.redemptions as Fields[] | undefined) ?? [])];
  for (const part of parts) judgeRanges(part);
  judgeEach(parts, ADDRESS_FIELDS, (value) => isAddress(value), 'invalid_address_format');
  judgeEach(parts, SIGNATURE_FIELDS, (value) => isBytes32(value), 'invalid_signature_format');
  judgeEach(parts, ['signature'], (value) => WALLET_SIGNATURE.test(String(value)), 'invalid_signature_format');
}

function judgeRanges(fields: Fields): void {
  const given = (name: string) => fields[name] !== undefined;
  for (const name of UINT8_FIELDS.filter(given)) toInteger(fields, name, 255n);
  for (const name of UINT256_FIELDS.filter(given)) toInteger(fields, name);
  const unsigned = given('signature') || !given('deadline') ? undefined : KEY_FIELDS.find((name) => !given(name));
  if (unsigned !== undefined) {
    throw invalidBody({ details: { field: unsigned, expected: 'v, r and s, or the signature of a contract wallet' } });
  }
  if (given('chainId')) toInteger(fields, 'chainId', MAX_UINT64);
  const missing = BOND_FIELDS.filter((name) => !given(name));
  if (missing.length > 0 && missing.length < BOND_FIELDS.length) {
    throw invalidBody({ details: { field: missing[0], expected: 'all fields of the bond permit, or none' } });
  }
}

function judgeEach(
  parts: readonly Fields[],
  names: readonly string[],
  isGood: (value: unknown) => boolean,
  code: 'invalid_address_format' | 'invalid_signature_format',
): void {
  for (const part of parts) {
    const field = names.find((name) => part[name] !== undefined && !isGood(part[name]));
    if (field !== undefined) throw new RequestFault({ code, details: { field } });
  }
}

function invalidBody({ details }: Pick<Fault, 'details'>): RequestFault {
  return new RequestFault({ code: 'invalid_request_body', ...(details && { details }) });
}

function toOwned(fields: Fields): Owned {
  return { chainId: toInteger(fields, 'chainId', MAX_UINT64), owner: toAddress(fields.owner) };
}

function toSignature(fields: Fields): Signature {
  if (fields.signature !== undefined) {
    const walletSignature = (fields.signature as string).toLowerCase() as Hex;
    return { deadline: toInteger(fields, 'deadline'), v: 0, r: NO_WORD, s: NO_WORD, walletSignature };
  }
  const v = Number(toInteger(fields, 'v', 255n));
  return {
    deadline: toInteger(fields, 'deadline'),
    v: v < 2 ? v + 27 : v,
    r: toBytes32(fields.r),
    s: toBytes32(fields.s),
  };
}

/** Booleans are what every client knows; 2 says that the question has no answer. */
function toProposedOutcome(fields: Fields): ProposedOutcome {
  if (typeof fields.outcome === 'boolean') return fields.outcome ? 0 : 1;
  return Number(toInteger(fields, 'outcome', 2n)) as ProposedOutcome;
}

function toRedemption(fields: Fields): Redemption {
  const indexSets = (fields.indexSets as readonly unknown[]).map((_, index, all) => toInteger(all, index));
  return {
    ...toSignature(fields),
    collateralToken: toAddress(fields.collateralToken),
    parentCollectionId: toBytes32(fields.parentCollectionId),
    conditionId: toBytes32(fields.conditionId),
    indexSets,
    ...(fields.marketAddress !== undefined && { marketAddress: toAddress(fields.marketAddress) }),
  };
}

function toBondPermit(fields: Fields): { bondPermit?: Signature } {
  if (fields.bondV === undefined) return {};
  const { bondPermitDeadline, bondV, bondR, bondS } = fields;
  return { bondPermit: toSignature({ deadline: bondPermitDeadline, v: bondV, r: bondR, s: bondS }) };
}

function toInteger(fields: Fields | readonly unknown[], name: string | number, maximum = MAX_UINT256): bigint {
  const integer = BigInt((fields as Fields)[name] as number | bigint | string);
  if (integer <= maximum) return integer;
  throw invalidBody({ details: { field: String(name), expected: `an integer from 0 to ${maximum}` } });
}

function toAddress(value: unknown): Address {
  return (value as string).toLowerCase() as Address;
}

function toBytes32(value: unknown): Bytes32 {
  return (value as string).toLowerCase() as Bytes32;
}
