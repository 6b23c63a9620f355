// Sentences for contract errors that a trader can meet: what is wrong, and what to do.

/** Sentences by the error's name. Errors that only operators and deployers can meet are not here. */
export const REFUSAL_SENTENCES: ReadonlyMap<string, string> = new Map([
  // Signatures
  ['InvalidSignature', 'the signature is not that of this wallet for its next nonce. Sign again'],
  ['InvalidPermit', 'the signature is not that of this wallet for its next nonce. Sign again'],
  ['SignatureExpired', 'the signature has expired. Sign again'],
  ['PermitExpired', 'the signature has expired. Sign again'],
  // Money and shares
  ['InsufficientBalance', 'the wallet has too little stablecoin. Fund it, or use less'],
  ['InsufficientAllowance', 'the wallet allows the contract to spend too little stablecoin. Approve more'],
  [
    'TransferFromFailed',
    'the stablecoin cannot be taken from the wallet, which holds too little or allows the contract too little. Fund it, or approve more',
  ],
  ['InsufficientShares', 'the wallet holds fewer shares. Use fewer, or wait until its trades have settled'],
  ['NotApproved', 'the wallet has not approved the contract for its shares. Approve it'],
  ['ReceiverRefused', 'the contract that would receive the shares does not take any. Use another wallet'],
  ['DepositTooLow', 'the deposit is smaller. Withdraw less'],
  ['DepositTooLarge', 'no deposit can be that large. Deposit less'],
  // Results
  ['ConditionNotPrepared', 'the contract does not know this market. Check its condition id'],
  ['ConditionNotResolved', 'the market is not decided yet. Redeem once it is'],
  ['MarketNotExpired', 'the market has not closed yet. Propose its result once it has'],
  ['MarketAlreadyResolved', 'the market is decided already. Redeem what you hold'],
  ['AssertionUnderWay', 'a result is proposed already. Wait until its dispute window ends'],
  ['NoAssertion', 'no result is proposed. Propose one first'],
  ['NoSuchOutcome', 'the market has no such outcome. Propose another one'],
  ['BondUnavailable', 'the wallet does not hold the bond, or has not approved it. Fund it, or approve the bond'],
  ['BondPayerNotAllowed', 'the operator pays no bond here. Sign the permit of the bond with your wallet'],
  ['OutcomeDiffers', 'another result is proposed. Settle the market with that one'],
  ['AssertionRejected', 'the oracle rejected the proposed result. Propose a result again'],
  ['WindowStillOpen', 'the dispute window is still open. Settle the market once it is over'],
  ['WindowOver', 'the dispute window is over. Settle the market'],
  ['AlreadyDisputed', 'the result is disputed already. Wait for the decision'],
  ['AwaitsArbitrator', 'the result is disputed. Settle the market once it is decided'],
  // Leaving
  ['CancelAlreadyRequested', 'the order is being cancelled on chain already. Wait until that takes effect'],
  ['AlreadyHalted', 'the wallet has stopped its trading already. There is nothing to do'],
  ['NotHalted', 'the wallet has not stopped its trading. There is nothing to resume'],
  ['SettlementPaused', 'the operator has paused settlement. Try again later'],
]);

/**
 * The sentence for a decoded reason such as `MarketNotExpired()`, followed by the reason itself, which programs match
 * on. Any other reason is returned unchanged.
 */
export function explainRefusal(reason: string): string {
  const [name = ''] = /^\w+(?=\()/.exec(reason) ?? [];
  const sentence = REFUSAL_SENTENCES.get(name);
  return sentence === undefined ? reason : `${sentence} (${reason})`;
}
