// The typed data that wallets sign for relayed operations, as docs/protocol.md lists it; every domain has version "1".

const amountFields = [
  { name: 'owner', type: 'address' },
  { name: 'collateralToken', type: 'address' },
  { name: 'conditionId', type: 'bytes32' },
  { name: 'amount', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;

const haltFields = [
  { name: 'trader', type: 'address' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;

export const OPERATION_TYPES = {
  /** EIP-2612, in the stablecoin's domain. */
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  SetApprovalForAll: [
    { name: 'owner', type: 'address' },
    { name: 'operator', type: 'address' },
    { name: 'approved', type: 'bool' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  RedeemPositions: [
    { name: 'owner', type: 'address' },
    { name: 'collateralToken', type: 'address' },
    { name: 'parentCollectionId', type: 'bytes32' },
    { name: 'conditionId', type: 'bytes32' },
    { name: 'indexSets', type: 'uint256[]' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  SplitPosition: amountFields,
  MergePositions: amountFields,
  /** In the market's own domain, `PresageMarket`. */
  ProposeResolution: [
    { name: 'market', type: 'address' },
    { name: 'proposer', type: 'address' },
    /** 0 YES, 1 NO, 2 one half each. */
    { name: 'outcome', type: 'uint8' },
    /** The proposer, or zero where a sponsor is to pay. */
    { name: 'payer', type: 'address' },
    { name: 'bond', type: 'uint256' },
    /** One more than the proposals there have been. */
    { name: 'round', type: 'uint32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  /** In the settlement's domain, without a nonce: an order is cancelled once. */
  CancelOrder: [
    { name: 'trader', type: 'address' },
    { name: 'marketId', type: 'bytes32' },
    { name: 'orderNonce', type: 'uint64' },
    { name: 'deadline', type: 'uint256' },
  ],
  HaltTrading: haltFields,
  ResumeTrading: haltFields,
  /** In the domain of the contract whose next signed operation it takes back: settlement, conditional tokens or a market. */
  InvalidateNonce: [
    { name: 'owner', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  SettleMarket: [
    { name: 'market', type: 'address' },
    { name: 'settler', type: 'address' },
    { name: 'winningOutcome', type: 'uint8' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

/** What the proposer may sign instead where a sponsor pays the bond: it names no money of theirs. */
export const SPONSORED_PROPOSAL_TYPES = {
  ProposeResolution: [
    { name: 'market', type: 'address' },
    { name: 'proposer', type: 'address' },
    { name: 'outcome', type: 'bool' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

export const MARKET_DOMAIN_NAME = 'PresageMarket';
