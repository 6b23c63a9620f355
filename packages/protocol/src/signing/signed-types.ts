// Everything that a wallet signs for this service, with the domain of each. Browsers load it: no schemas here.
import { ORDER_TYPES } from '../core/order-types.ts';
import { apiKeyMessagePrefix } from './bearer-token.ts';

/** Relayed operations by name, in the order of the API document. */
export const RELAYER_OPERATIONS = [
  'ctf-approval',
  'stablecoin-permit',
  'ctf-redemption',
  'batch-ctf-redemption',
  'propose-resolution',
  'settle-market',
  'split',
  'merge',
  'ctf-conversion',
  'order-permit',
  'cancel-order',
  'halt-trading',
  'resume-trading',
  'invalidate-nonce',
  'deposit',
  'withdrawal',
] as const;
export type RelayerOperation = (typeof RELAYER_OPERATIONS)[number];

const NONCE_AND_DEADLINE = [
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;

const amountFields = [
  { name: 'owner', type: 'address' },
  { name: 'collateralToken', type: 'address' },
  { name: 'conditionId', type: 'bytes32' },
  { name: 'amount', type: 'uint256' },
  ...NONCE_AND_DEADLINE,
] as const;

const haltFields = [{ name: 'trader', type: 'address' }, ...NONCE_AND_DEADLINE] as const;

/** Typed data of relayed operations, as docs/protocol.md lists it; every domain has version "1". */
export const OPERATION_TYPES = {
  /** EIP-2612, in the stablecoin's domain. */
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    ...NONCE_AND_DEADLINE,
  ],
  SetApprovalForAll: [
    { name: 'owner', type: 'address' },
    { name: 'operator', type: 'address' },
    { name: 'approved', type: 'bool' },
    ...NONCE_AND_DEADLINE,
  ],
  RedeemPositions: [
    { name: 'owner', type: 'address' },
    { name: 'collateralToken', type: 'address' },
    { name: 'parentCollectionId', type: 'bytes32' },
    { name: 'conditionId', type: 'bytes32' },
    { name: 'indexSets', type: 'uint256[]' },
    ...NONCE_AND_DEADLINE,
  ],
  SplitPosition: amountFields,
  MergePositions: amountFields,
  /** Converts NO of several outcomes of an event; the bits of the set are their indexes. */
  ConvertPositions: [
    { name: 'owner', type: 'address' },
    { name: 'eventId', type: 'bytes32' },
    { name: 'indexes', type: 'uint256' },
    { name: 'amount', type: 'uint256' },
    ...NONCE_AND_DEADLINE,
  ],
  /** Signed in the market's own domain, `PresageMarket`. */
  ProposeResolution: [
    { name: 'market', type: 'address' },
    { name: 'proposer', type: 'address' },
    /** 0 YES, 1 NO, 2 one half each. */
    { name: 'outcome', type: 'uint8' },
    /** The proposer, or zero if a sponsor pays. */
    { name: 'payer', type: 'address' },
    { name: 'bond', type: 'uint256' },
    /** One more than the number of proposals so far. */
    { name: 'round', type: 'uint32' },
    ...NONCE_AND_DEADLINE,
  ],
  /** Signed in the settlement's domain, without a nonce: an order is cancelled only once. */
  CancelOrder: [
    { name: 'trader', type: 'address' },
    { name: 'marketId', type: 'bytes32' },
    { name: 'orderNonce', type: 'uint64' },
    { name: 'deadline', type: 'uint256' },
  ],
  HaltTrading: haltFields,
  ResumeTrading: haltFields,
  /** Into the settlement's ledger and out of it; signed in its domain. */
  Deposit: [{ name: 'trader', type: 'address' }, { name: 'amount', type: 'uint256' }, ...NONCE_AND_DEADLINE],
  WithdrawDeposit: [
    { name: 'trader', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'to', type: 'address' },
    ...NONCE_AND_DEADLINE,
  ],
  /**
   * Signed in the domain of the contract whose next signed operation it invalidates: settlement, conditional tokens or
   * a market.
   */
  InvalidateNonce: [{ name: 'owner', type: 'address' }, ...NONCE_AND_DEADLINE],
  SettleMarket: [
    { name: 'market', type: 'address' },
    { name: 'settler', type: 'address' },
    { name: 'winningOutcome', type: 'uint8' },
    ...NONCE_AND_DEADLINE,
  ],
} as const;

/** Alternative for the proposer if a sponsor pays the bond: it names no money of theirs. Without a spread, bundlers can drop it. */
export const SPONSORED_PROPOSAL_TYPES = {
  ProposeResolution: [
    { name: 'market', type: 'address' },
    { name: 'proposer', type: 'address' },
    { name: 'outcome', type: 'bool' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

export type OperationType = keyof typeof OPERATION_TYPES;

export const MARKET_DOMAIN_NAME = 'PresageMarket';

export const SIGNING_DOMAINS = ['settlement', 'stablecoin', 'conditionalTokens', 'market', 'personal_sign'] as const;
type SigningDomainName = (typeof SIGNING_DOMAINS)[number];

type SignedName = keyof typeof ORDER_TYPES | OperationType | 'ApiKeyMessage';

export const DOMAIN_OF_TYPE: Readonly<Record<SignedName, SigningDomainName>> = {
  Order: 'settlement',
  Permit: 'stablecoin',
  SetApprovalForAll: 'conditionalTokens',
  RedeemPositions: 'conditionalTokens',
  SplitPosition: 'conditionalTokens',
  MergePositions: 'conditionalTokens',
  ConvertPositions: 'conditionalTokens',
  CancelOrder: 'settlement',
  HaltTrading: 'settlement',
  ResumeTrading: 'settlement',
  InvalidateNonce: 'settlement',
  Deposit: 'settlement',
  WithdrawDeposit: 'settlement',
  ProposeResolution: 'market',
  SettleMarket: 'market',
  ApiKeyMessage: 'personal_sign',
};

type SignedType = string | { name: string; type: string }[];

/** Fields in hashing order. The message that registers an API key is a text. */
export function listSignedTypes(serviceName: string): Record<SignedName, SignedType> {
  const typed = { ...ORDER_TYPES, ...OPERATION_TYPES };
  const fields = Object.entries(typed).map(([name, list]) => [name, list.map((field) => ({ ...field }))]);
  return { ...Object.fromEntries(fields), ApiKeyMessage: `${apiKeyMessagePrefix(serviceName)}{address}` };
}
