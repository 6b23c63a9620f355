// The kinds of violations of an exchange, in words, and the error that carries one with its place.

/** Every kind of violation, with its meaning for a trader. */
export const VIOLATIONS = {
  frame_damaged: 'a part of the journal is not what it claims to be: its bytes were changed',
  hash_chain_broken: 'history was rewritten: a frame does not follow the one before it',
  sequence_gap: 'records are missing or doubled in the journal',
  frame_time_backwards: 'the journal claims that time ran backwards',
  record_unreadable: 'a record of the journal cannot be read',
  head_forged: "the newest frame is not signed by the operator's key",
  head_differs: 'the operator signed another history than the one it publishes',
  records_withheld: 'the operator signed records that it does not publish',
  history_rewritten: 'what was verified before has been changed since',
  anchor_differs: 'the history that was anchored on chain is not the one that is published',
  receipt_forged: "a receipt is not signed by the operator's key",
  two_histories: 'the operator signed a receipt for another history than the one it publishes',
  receipt_unkept: 'an order with a receipt is not in the journal',
  answer_unkept: 'an order that was answered as accepted is not in the journal',
  order_changed: 'an order is not the one that its hash names: a field of it was changed',
  order_unsigned: 'an order was not signed by the wallet it is booked for: it was made up or changed',
  order_doubled: 'an order was accepted twice',
  order_late: 'an order was accepted that had expired, or whose market was closed',
  order_refused: 'an order was accepted that the rules refuse',
  order_passed_over:
    'somebody was passed over: another order was filled before the one that was next by price and time',
  trade_missing: 'an order should have traded and did not',
  trade_forged: 'a trade that no rule allows: the orders did not meet',
  trade_price_wrong: 'a trade at another price than that of the resting order',
  trade_size_wrong: 'a trade of another size than the orders allow',
  trade_fee_wrong: "a trade with another fee, or another part of it for the maker, than the market's rates give",
  filled_after_cancel: 'an order was filled after it was cancelled',
  filled_after_expiry: 'an order was filled after it had expired',
  cancel_wrong: 'a cancellation that the rules do not allow',
  cancel_missing: 'an order should have left the book and did not',
  backdated: 'something is dated before what stands before it',
  step_gap: 'steps of a market are missing, doubled or out of order',
  settlement_wrong: 'a settlement that the rules do not allow',
  repair_wrong: 'a failed settlement was not repaired by the rules',
  market_wrong: 'a market was listed, closed or resolved against the rules',
  event_market_wrong: 'a market is shown as an outcome of an event that it is not of',
  event_shares_wrong:
    "the shares of an outcome are not those of its event's condition: they would be paid by another result",
  event_two_winners: 'two outcomes of one event are called winners',
  event_payout_wrong: 'an event pays otherwise than all to its winner, or the same for every outcome if it is void',
  conversion_wrong: 'shares of an event were converted into others than they are worth',
  book_differs: 'the book that is shown is not the one that the journal adds up to',
  settled_not_on_chain: 'a trade is called settled, and the chain does not have it',
  settled_differs: 'a trade was settled on chain with another price, size or payer of the fee than was matched',
  settled_not_in_journal: 'the operator settled something on chain that was never matched',
  rates_differ: 'a market charges other fees in the journal than the contract fixed when it was made',
  shares_unbacked: 'there are more shares than the collateral pays for',
  deposits_unbacked: 'the settlement contract holds less than traders have deposited with it',
  bond_missing: 'bonds are counted that the oracle does not hold',
} as const;

export type ViolationKind = keyof typeof VIOLATIONS;

/** A rule that the operator broke, with the record where it happened. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly kind: ViolationKind;
  /** Sequence of the record in the journal, if the violation is about one. */
  readonly seq: number | undefined;
  readonly detail: string;

  constructor(kind: ViolationKind, detail: string, seq?: number) {
    super(`${VIOLATIONS[kind]}${seq === undefined ? '' : ` (record ${seq})`}: ${detail}`);
    this.kind = kind;
    this.seq = seq;
    this.detail = detail;
  }
}
