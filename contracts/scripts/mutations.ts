// Plausible programming errors in the contracts; some test must notice each.
import type { DeployableName } from './deployable.ts';

export interface Mutation {
  readonly name: string;
  /** Path below contracts/src. */
  readonly file: string;
  readonly contract: DeployableName;
  /** Text that occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

type Fault = readonly [name: string, from: string, to: string];

function inFile(contract: DeployableName, file: string, faults: readonly Fault[]): Mutation[] {
  return faults.map(([name, from, to]) => ({ name, file, contract, from, to }));
}

export const mutations: readonly Mutation[] = [
  ...inFile('PresageSettlement', 'libraries/OrderWords.sol', [
    ['no signature is checked', 'if (!_isSignedByKey(order, packed)) {', 'if (false) {'],
    ['orders never expire', 'or(doubts, shl(1, lt(expiration, mload(add(checks, 0x60)))))', 'or(doubts, 0)'],
    ['a halt is ignored', 'else if (HaltedTraders.isHalted(order.trader()))', 'else if (false)'],
    ['a wallet signature may lie outside the batch', 'if (offset + length > checks.ordersLength) return false;', ''],
  ]),
  ...inFile('PresageSettlement', 'libraries/HaltedTraders.sol', [
    ['the halt filter has five bits', '1 << (uint160(trader) & 63)', '1 << (uint160(trader) & 31)'],
    ['a halt takes effect at once', 'lastSecond != 0 && block.timestamp > lastSecond', 'lastSecond != 0'],
  ]),
  ...inFile('PresageSettlement', 'libraries/WalletSignatures.sol', [
    ['any answer of a wallet is a yes', 'eq(mload(0x00), magic)', '1'],
    ['a wallet may take all the gas', 'staticcall(GAS, wallet', 'staticcall(gas(), wallet'],
    [
      'a signature of an order may have any length',
      'if (length > MAX_LENGTH || wallet.code.length == 0) return false;\n        uint256 pointer;\n        assembly ("memory-safe") {\n            pointer := mload(0x40)\n            calldatacopy',
      'if (wallet.code.length == 0) return false;\n        uint256 pointer;\n        assembly ("memory-safe") {\n            pointer := mload(0x40)\n            calldatacopy',
    ],
    ['the padding of a signature is dirty', 'mstore(add(add(pointer, 0x64), length), 0)', ''],
  ]),
  ...inFile('PresageSettlement', 'settlement/DepositLedger.sol', [
    ['a deposit is spent that does not cover the fill', 'if (word & BALANCE_MASK < amount) return false;', ''],
    ['who has not opted in is paid into the ledger', 'if (word & OPTED_IN == 0) return false;', ''],
    [
      'a stranger opts a trader in',
      '_deposit(msg.sender, trader, amount, 0);',
      '_deposit(msg.sender, trader, amount, OPTED_IN);',
    ],
    ['more is withdrawn than was deposited', 'if (amount > balance) revert DepositTooLow(balance);', ''],
    ['a withdrawal leaves the balance as it was', '_ledger[trader] = amount == balance ? 0 : word - amount;', ''],
    ['a withdrawal of everything does not opt out', 'amount == balance ? 0 : word - amount', 'word - amount'],
    [
      'a deposit is paid by its sender',
      '_requireSigned(trader, structHash, deadline, signature);\n        _deposit(trader, trader, amount, OPTED_IN);',
      '_requireSigned(trader, structHash, deadline, signature);\n        _deposit(msg.sender, trader, amount, OPTED_IN);',
    ],
    [
      'anyone withdraws for a trader',
      '_requireSigned(trader, structHash, deadline, signature);\n        _withdraw(trader, amount, to);',
      '_withdraw(trader, amount, to);',
    ],
    ['what could not be paid is lost', '_ledger[trader] += amount;', ''],
  ]),
  ...inFile('PresageSettlement', 'settlement/TakerTill.sol', [
    ['a forged order pays ahead', 'order.isMissing() || order.flaw() != 0 || !_find', 'order.isMissing() || !_find'],
    ['two takers share a till', 'if (table.tillAmount != 0) _closeTill(table);\n        (table', '(table'],
    ['a till pays for more than it holds', 'if (table.tillAmount < due) return fill;', ''],
    [
      'a wallet pays ahead beyond its order',
      'if (count == 1 || costs > CostMath.costOf(highest, order.size()) + count) return;',
      'if (count == 1) return;',
    ],
    ['what a seller mints is paid to it, too', '+= money.sellerGets() - minted;', '+= money.sellerGets();'],
    [
      'a till knows no fees',
      'table.tillFees) = (key, order.trader(), table.tokenFees);',
      'table.tillFees) = (key, order.trader(), table.tillFees);',
    ],
    ['a fee is taken that nobody paid', 'if (table.tillAmount < money.kept()) return money;', ''],
    ['a fee that was paid ahead is given back', 'if (note & PAID_AHEAD != 0) table.tillAmount -= uint64(note);', ''],
    ['a fill that failed is charged', 'if (!isSettled) return 0;', ''],
    ['a treasury that cannot be paid loses it', '_creditUnpaid(account, amount);', ''],
  ]),
  ...inFile('PresageSettlement', 'libraries/FeeMath.sol', [
    ['the fee is rounded down', '+ FEE_SCALE - 1) / FEE_SCALE', ') / FEE_SCALE'],
    ['the rebate is the whole fee', 'return fee * share / BASIS_POINTS;', 'return fee;'],
    ['the buyer always pays the fee', 'fill.sellerTakes() ? cost - rebate : cost + fee', 'cost + fee'],
    ['a maker who buys gets no rebate', 'fill.sellerTakes() ? cost - rebate', 'fill.sellerTakes() ? cost'],
    ['the rebate is kept as well', '(fee - rebate) << 128', 'fee << 128'],
    [
      'fees have no bound',
      'uint256 internal constant MAX_RATE_BPS = 700;',
      'uint256 internal constant MAX_RATE_BPS = 65_535;',
    ],
  ]),
  ...inFile('PresageSettlement', 'settlement/FeeTreasury.sol', [
    [
      'anyone names the treasury',
      'function setTreasury(address account) external onlyOwner {',
      'function setTreasury(address account) external {',
    ],
    [
      'nobody may be the treasury',
      'if (account == address(0) || account == address(this))',
      'if (account == address(this))',
    ],
  ]),
  ...inFile('PresageSettlement', 'libraries/CostMath.sol', [
    ['the cost is rounded down', '(price * size + PRICE_SCALE - 1) / PRICE_SCALE', '(price * size) / PRICE_SCALE'],
  ]),
  ...inFile('PresageSettlement', 'libraries/TransferBlame.sol', [
    [
      'the balance is not read for blame',
      'if (_read(token, abi.encodeCall(IPermitToken.balanceOf, (from))) < amount) return code;',
      '',
    ],
    [
      'the allowance is not read for blame',
      'if (_read(token, abi.encodeCall(IPermitToken.allowance, (from, address(this)))) < amount) return code;',
      '',
    ],
    [
      'a paused token is blamed on a party',
      'if (!_canReceive(token, address(this))) return FillCodes.TOKEN_FAULT;',
      '',
    ],
    [
      'a blocked seller is blamed on the buyer',
      'if (!_canReceive(token, to)) return FillCodes.SELLER_BLOCKED;',
      'if (!_canReceive(token, to)) return FillCodes.BUYER_BLOCKED;',
    ],
  ]),
  ...inFile('PresageSettlement', 'libraries/OrderPairs.sol', [
    ['two sellers may meet', 'buy.side() | (sell.side() ^ 1)', '(sell.side() ^ 1)'],
    ['two buyers may meet', '| (sell.side() ^ 1) |', '|'],
    ['YES may meet NO', ' | (buy.outcome() ^ sell.outcome())', ''],
    ['orders of two markets may meet', '\n            | uint256(buy.marketId() ^ sell.marketId())', ''],
    ['a fill of nothing settles', 'or(or(iszero(buy), iszero(sell)), iszero(size))', 'or(iszero(buy), iszero(sell))'],
    ["the buyer's limit is ignored", 'gt(price, highest)', '0'],
    ["the seller's limit is ignored", 'lt(price, lowest)', '0'],
    ['a price of one is legal', 'iszero(lt(price, scale))', 'gt(price, scale)'],
  ]),
  ...inFile('PresageSettlement', 'libraries/OrderTable.sol', [
    [
      'the token of another market is taken',
      'table.tokenKey == _tokenKeyOf(order) && table.tokenId != 0',
      'table.tokenId != 0',
    ],
  ]),
  ...inFile('PresageSettlement', 'settlement/PresageSettlement.sol', [
    ['the grace is ignored', 'block.timestamp - SETTLEMENT_GRACE;', 'block.timestamp;'],
    ['an order is filled once too often', '+ size <= limit', '<= limit'],
    ['a large order is filled once too often', 'if (amount > order.size()) return FillCodes.BUYER_OVERFILLED;', ''],
    [
      'a cancel is ignored',
      'if (block.timestamp > cancelEffectiveAfter(trader, marketId, uint64(nonce))) return FillCodes.BUYER_CANCELLED;',
      '',
    ],
    [
      'a failed fill keeps its counters',
      '_restore(sell, sellBefore, size);\n            _restore(buy, buyBefore, size);',
      '',
    ],
    [
      'a failed large fill keeps its own word',
      'FilledAmounts.withAmount(word, trader, marketId, nonce, amount);\n        FilledAmounts.store(slot, before);',
      'FilledAmounts.store(slot, before);',
    ],
    ['the fills of a buyer are not counted', '(code, buyBefore) = _count(buy, size);', ''],
    ['the fills of a seller are not counted', '(code, sellBefore) = _count(sell, size);', ''],
    ['what settled is not told', 'settled.tell();', ''],
    ['the buyer pays their limit', 'uint256 cost = fill.cost();', 'uint256 cost = CostMath.costOf(buy.price(), size);'],
    ['gas is not looked at before a fill', 'if (gasleft() < MIN_FILL_GAS) break;', ''],
  ]),
  ...inFile('PresageSettlement', 'settlement/FillExecutor.sol', [
    [
      'any error of 36 bytes is a code',
      'if (answerLength != 36 || bytes4(bytes32(first)) != FillRejected.selector) return (FillCodes.TOKEN_FAULT, 0);',
      'if (answerLength != 36) return (FillCodes.TOKEN_FAULT, 0);',
    ],
    ['a failed transfer of shares moves nothing', 'if (!done) _reject(FillCodes.TOKEN_FAULT);', 'if (!done) return 0;'],
    ['anyone runs the isolated part', 'if (msg.sender != address(this)) revert OnlySelf();', ''],
    ['NO is minted as YES', 'terms & 1 == 0 ? (buyer, seller) : (seller, buyer)', '(buyer, seller)'],
    [
      'a reduce-only order mints',
      'if (minted != 0 && terms & FillWords.MUST_NOT_MINT != 0) _reject(FillCodes.SELLER_WOULD_MINT);',
      '',
    ],
    [
      'the seller is not paid what the mint leaves over',
      'isSellers = _payOut(seller, gets - minted, sellerBit);',
      '{}',
    ],
    [
      'a split is paid by the buyer alone',
      '_collect(seller, minted - gets, sellerBit, FillCodes.SELLER_FUNDS)',
      '_collect(buyer, minted - gets, sellerBit, FillCodes.SELLER_FUNDS)',
    ],
    ['gas that ran out is blamed on a party', 'if (gasleft() < GAS_RAN_OUT_BELOW) code = FillCodes.OUT_OF_GAS;', ''],
  ]),
  ...inFile('PresageSettlement', 'settlement/MarketRegister.sol', [
    ['a market never ends', 'if (block.timestamp > uint64(end)) return false;', ''],
    ['the expiration ends nothing', 'uint256 end = expiration + SETTLEMENT_GRACE;', 'uint256 end = type(uint64).max;'],
    ['a market ends without a grace', 'uint256 end = expiration + SETTLEMENT_GRACE;', 'uint256 end = expiration;'],
    ['a late result puts off the end', 'if (uint64(end) < until) until = uint64(end);', ''],
    ['anybody names an expiration', 'onlyRole(REGISTRAR_ROLE)', ''],
    ['a paused market settles', 'isPaused ? (IS_PAUSED, end) : (end, 0)', '(end, 0)'],
    [
      'a result ends a pause',
      'if (listing.end == IS_PAUSED) listing.endOfPaused = end;',
      'if (false) listing.endOfPaused = end;',
    ],
    [
      'a result ends the fees',
      'end = end >> FEES_SHIFT << FEES_SHIFT | HAS_RESULT | until;',
      'end = HAS_RESULT | until;',
    ],
    ['fees go to nobody', 'if (treasury == address(0)) revert NoTreasury();', ''],
    [
      'a second registration announces other fees',
      'if (FeeTerms.unwrap(_feesOf(marketId)) != FeeTerms.unwrap(fees)) revert FeesAreFixed();',
      '',
    ],
    ['anyone pauses a market', 'if (isPaused) _requirePauser();', 'if (isPaused) {}'],
    ['anyone unpauses a market', 'else if (msg.sender != owner) revert NotOwner();', ''],
    ['a result leaves an hour', 'RESOLUTION_GRACE = 120;', 'RESOLUTION_GRACE = 3600;'],
    ['the ids of YES and NO are swapped', '[yesTokenId, noTokenId];', '[noTokenId, yesTokenId];'],
    [
      'a market without a result can be closed',
      'if (!IConditionalTokens(conditionalTokens).isResolved(marketId)) revert MarketNotResolved(marketId);',
      '',
    ],
  ]),
  ...inFile('PresageSettlement', 'settlement/SettlementRoles.sol', [
    [
      'anyone settles',
      'if (address(uint160(control)) != msg.sender) revert MissingRole(OPERATOR_ROLE, msg.sender);',
      '',
    ],
    ['a pause stops nothing', 'if (control & PAUSED != 0) revert SettlementPaused();', ''],
    ['anyone unpauses', 'function unpause() external onlyOwner {', 'function unpause() external {'],
    ['anyone takes the office of the operator', 'if (msg.sender != pendingOperator) revert NotPendingOperator();', ''],
  ]),
  ...inFile('PresageSettlement', 'settlement/TraderControls.sol', [
    [
      'a cancel takes effect at once',
      'return uint64(block.timestamp + SETTLEMENT_GRACE);',
      'return uint64(block.timestamp);',
    ],
    ['anyone cancels for anyone', '_requireSigned(trader, structHash, deadline, signature);', ''],
    [
      'anyone halts anyone',
      '_requireSigned(trader, _nonceHash(HALT_TYPEHASH, trader, deadline), deadline, signature);',
      '',
    ],
    [
      'anyone resumes for anyone',
      '_requireSigned(trader, _nonceHash(RESUME_TYPEHASH, trader, deadline), deadline, signature);',
      '',
    ],
    ['a signed halt can be sent again', 'trader, nonces[trader]++, deadline', 'trader, nonces[trader], deadline'],
  ]),
  ...inFile('ConditionalTokensWithPermit', 'tokens/ShareLedger.sol', [
    ['an exchange needs no approval', 'if (from != msg.sender && !isApprovedForAll[from][msg.sender]) return 0;', ''],
    [
      'dust without approval stops a sale',
      'if (from != msg.sender && !isApprovedForAll[from][msg.sender]) return 0;',
      'if (from != msg.sender && !isApprovedForAll[from][msg.sender]) revert NotApproved();',
    ],
    ['anyone transfers for anyone', 'if (!isApprovedForAll[from][msg.sender]) revert NotApproved();', ''],
  ]),
  ...inFile('ConditionalTokensWithPermit', 'tokens/ConditionalTokensCore.sol', [
    ['overlapping parts mint for free', 'if (indexSet & united != 0) revert PartitionNotDisjoint();', ''],
    ['what is redeemed is not burnt', '_burn(owner, id, stake);', ''],
    ['losing shares pay as well', 'stake * _numeratorOf(conditionId, indexSets[i]) / denominator', 'stake'],
    ['what is merged is not burnt', '_burnBatch(owner, ids, amount);', ''],
    ['a split costs nothing', 'SafeTransferLib.safeTransferFrom(token, owner, address(this), amount);', ''],
    [
      'a result can be reported twice',
      'if (payoutDenominator[conditionId] != 0) revert ConditionAlreadyResolved();',
      '',
    ],
  ]),
  ...inFile('ConditionalTokensWithPermit', 'tokens/ConditionalTokensWithPermit.sol', [
    [
      'a signature counts twice',
      'conditionId, amount, nonces[owner]++, deadline)',
      'conditionId, amount, nonces[owner], deadline)',
    ],
    ['a redemption carried out reverts the batch', 'if (one.nonce < nonces[one.owner]) {', 'if (false) {'],
  ]),
  ...inFile('ConditionalTokensWithPermit', 'libraries/SignedOperations.sol', [
    ['a high s is accepted', 'if (uint256(s) > ECDSA.N / 2) return false;', ''],
    ["anyone's signature counts", 'signer != address(0) && signer == owner', 'signer != address(0)'],
    ['a signature has no deadline', 'if (block.timestamp > deadline) revert SignatureExpired();', ''],
  ]),
  ...inFile('Market', 'markets/Market.sol', [
    ['the settlement is not told of a result', 'IPresageSettlement(settlement).closeMarket(marketId());', ''],
    ['anyone can be made to pay a bond', 'revert BondPayerNotAllowed(payment.payer);', ''],
    ['one half each pays YES', '(payouts[0], payouts[1]) = (1, 1);', '(payouts[0], payouts[1]) = (1, 0);'],
  ]),
  ...inFile('Market', 'markets/SignedProposals.sol', [
    ['a proposal needs no signature', '_requireSigned(proposer, structHash, deadline, signature);', ''],
    ['a proposal does not name who pays', 'payer == proposer ? proposer : address(0)', 'address(0)'],
  ]),
  ...inFile('EventMarket', 'markets/EventMarket.sol', [
    ['anyone proposes to an event', 'if (msg.sender != outcomeMarket[index]) revert NotOutcomeMarket(msg.sender);', ''],
    ['a sponsor pays for every outcome of an event', 'if (payer != proposer) _requireNoOtherSponsored();', ''],
    ['the markets of an event go on after its result', 'IPresageSettlement(settlement).closeMarket(', '('],
    ['every outcome of an event wins', 'outcome == count || outcome == i ? 1 : 0', '1'],
  ]),
  ...inFile('OutcomeMarket', 'markets/OutcomeMarket.sol', [
    ['an outcome is proposed to have lost', 'if (outcome != YES && outcome != HALF) revert EventNeedsWinner();', ''],
    ['a settler gets another result', 'if (result.proposedOutcome != winningOutcome) revert', 'if (false) revert'],
  ]),
  ...inFile('ConditionalTokensWithPermit', 'tokens/EventPositions.sol', [
    ['a conversion frees too much', '(given.length - 1) * amount', 'given.length * amount'],
    ['a conversion burns nothing', '_burnBatch(owner, given, amount);', ''],
    ['a conversion burns YES', '_idsOf(token, eventId, indexes, all)', '_idsOf(token, eventId, indexes, 0)'],
    ['a conversion gives NO', '_idsOf(token, eventId, all ^ indexes, 0)', '_idsOf(token, eventId, all ^ indexes, all)'],
    ['an event is prepared again', 'if (_eventOf[first] != 0) revert EventAlreadyPrepared();', ''],
    ['an index beyond the last is a market', 'conditionId != 0 && index < count', 'conditionId != 0'],
    ['a conversion of nothing known', 'if (indexes == 0 || indexes > all) revert InvalidIndexSet();', ''],
  ]),
  ...inFile('Market', 'markets/MarketResolution.sol', [
    ['a rejected proposal resolves the market', 'if (!assertedTruthfully) return _reject(assertionId);', ''],
    ['a half is paid before a true proposal', '_settleAll();\n        if (_isResolved) return;', ''],
    ['a proposal is made over one that decided', 'if (!_isResolved) _settleAll();', ''],
    ['every market resolves early', 'block.timestamp < expiration() && !earlyResolution()', 'false'],
    ['a live assertion is replaced', 'if (!_isStuck(assertionId)) revert AssertionUnderWay(assertionId);', ''],
    ['a sponsor pays for every outcome', 'if (isSponsored && !_isStuck(assertionId)) revert', 'if (false) revert'],
    ['a bond is credited twice', 'if (proposal.settled) return;', ''],
    ['a market is void at once', 'if (block.timestamp < from) revert TooEarlyToVoid(from);', ''],
    ['anyone reports a result', ') revert NotOracle();', ') {}'],
  ]),
  ...inFile('Market', 'markets/MarketProposals.sol', [
    [
      'a rejection leaves the clock alone',
      'if (_isResolved) return;\n        _lastMove = uint64(block.timestamp);',
      '',
    ],
    [
      'a disputed assertion is stuck after its window',
      'proposal.disputed ? STUCK_DELAY : DISPUTE_WINDOW',
      'DISPUTE_WINDOW',
    ],
    ['the later of two undisputed outcomes decides', 'if (earlier.round < proposal.round) return true;', ''],
    ['a proposal at a replaced oracle still precedes', ' || earlier.oracle != proposal.oracle', ''],
  ]),
  ...inFile('Market', 'markets/MarketBonds.sol', [
    ['a bond stays in the market', 'try this.returnBond(payer) {} catch {}', ''],
    ['a bond that the oracle owes is lost', 'if (isDue && came < amount) came = pot;', ''],
    ['what is kept for others is paid again', 'held > _kept ? held - _kept : 0', 'held'],
  ]),
  ...inFile('OptimisticOracle', 'oracle/OptimisticOracle.sol', [
    [
      'an assertion is settled inside its window',
      'if (block.timestamp < assertion.expirationTime) revert WindowStillOpen(assertion.expirationTime);',
      '',
    ],
    [
      'the party that was wrong is paid',
      'truthful ? assertion.asserter : assertion.disputer',
      'truthful ? assertion.disputer : assertion.asserter',
    ],
    ['anyone decides a dispute', 'if (msg.sender != arbitrator && !isSecond) revert NotArbitrator();', ''],
    ['the second decides at once', ' && _hasWaited(assertionId, ARBITRATION_DELAY)', ''],
    [
      'both bonds return at once',
      'if (!_hasWaited(assertionId, RETURN_DELAY)) revert AwaitsArbitrator(assertionId);',
      '',
    ],
    ['a winner gets one bond of two', 'disputed ? 2 * assertion.bond : assertion.bond', 'assertion.bond'],
  ]),
  ...inFile('QuickMarket', 'markets/QuickMarket.sol', [
    ['the settlement is not told of a quick result', 'IPresageSettlement(settlement).closeMarket(marketId());', ''],
    ['a fall is YES', 'start.price, start.expo) ? 0 : 1;', 'start.price, start.expo) ? 1 : 0;'],
    ['a quick market is struck twice', 'if (_startPrice.publishTime != 0) revert AlreadyStruck();', ''],
    ['a price of wide confidence decides', 'revert ConfidenceTooWide(proved.price, proved.conf);', ''],
    ['a quick market is void at once', 'if (block.timestamp < from) revert TooEarlyToVoid(from);', ''],
    ['a market whose price exists is void', 'revert PriceExists(uint64(first.publishTime));', ''],
  ]),
  ...inFile('QuickMarketFactory', 'markets/QuickMarketFactory.sol', [
    ['a foreign feed takes a window', 'else if (known != feedId) revert ForeignFeed(known);', ''],
    ['windows are taken far ahead', 'if (startTime > latest) revert StartTooFar(latest);', ''],
  ]),
  ...inFile('MarketFactory', 'markets/MarketFactory.sol', [
    ['an expiration in milliseconds is accepted', 'if (expiration > latest) revert ExpirationTooFar(latest);', ''],
  ]),
  ...inFile('MarketOracle', 'oracle/MarketOracle.sol', [
    ['an oracle that serves is replaced', 'if (serves()) revert OracleStillServes();', ''],
    [
      'an oracle is replaced at once',
      'if (block.timestamp < replaceableFrom) revert TooEarlyToReplace(replaceableFrom);',
      '',
    ],
  ]),
  ...inFile('OwnerTimelock', 'governance/OwnerTimelock.sol', [
    ['the timelock does not wait', 'if (block.timestamp < from) revert TooEarly(from);', ''],
    ['anyone takes the timelock', 'if (msg.sender != address(this)) revert NotSelf();', ''],
  ]),
  ...inFile('PriceOracle', 'oracle/PriceOracle.sol', [
    [
      'a price needs no signature',
      '!= feedSigner) revert InvalidUpdateData();',
      '== address(0)) revert InvalidUpdateData();',
    ],
    ['a later price stands for the first', 'isWithin && prevPublishTime < minPublishTime', 'isWithin'],
  ]),
];
