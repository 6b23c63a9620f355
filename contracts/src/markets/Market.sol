// One market: its terms, its state, and what signers do to resolve it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IMarketResolution} from "../interfaces/IMarketResolution.sol";
import {IOptimisticOracle} from "../interfaces/IOptimisticOracle.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {BondPayment} from "../interfaces/ISignedProposals.sol";
import {BondDrawing} from "../libraries/BondDrawing.sol";
import {ResolutionClaim} from "../libraries/ResolutionClaim.sol";
import {MarketResolution} from "./MarketResolution.sol";
import {MarketTerms} from "./MarketTerms.sol";
import {SignedProposals} from "./SignedProposals.sol";

contract Market is IMarketResolution, MarketResolution, SignedProposals {
    /// @dev YES, NO, and one half for both.
    uint8 private constant RESULTS = 3;

    constructor(
        address conditionalTokens_,
        address collateral_,
        address settlement_,
        address marketOracle_,
        bool bondPermitRequired_,
        uint64 voidDelay
    ) MarketTerms(conditionalTokens_, collateral_) MarketResolution(settlement_, marketOracle_, bondPermitRequired_, voidDelay) {}

    function _propose(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes memory signature,
        BondPayment calldata payment
    ) internal override returns (bytes32) {
        uint32 round = _round + 1;
        uint256 amount = bond();
        _requireProposal(proposer, outcome, payment.payer, amount, round, deadline, signature);
        _requireProposable(outcome);
        if (payment.payer != proposer) {
            if (payment.payer != msg.sender || bondPermitRequired) revert BondPayerNotAllowed(payment.payer);
            _requireNoOtherSponsored();
        }
        BondDrawing.draw(collateral, payment, amount);
        return _assertOutcome(proposer, payment.payer, outcome, round, amount);
    }

    function _settleSigned(address settler, uint8 winningOutcome, uint256 deadline, bytes memory signature) internal override {
        _requireSettlement(settler, winningOutcome, deadline, signature);
        if (_isResolved) revert MarketAlreadyResolved();
        bytes32 assertionId = winningOutcome < RESULTS ? _live[winningOutcome] : bytes32(0);
        if (assertionId == 0) revert OutcomeDiffers(_requireNext());
        if (!_settleAll()) IOptimisticOracle(_proposals[assertionId].oracle).settleAssertion(assertionId);
        uint8 result = resolution().proposedOutcome;
        if (!_isResolved) revert AssertionRejected(assertionId);
        if (result != winningOutcome) revert OutcomeDiffers(result);
    }

    function _report(uint8 outcome) internal override {
        uint256[] memory payouts = new uint256[](2);
        if (outcome == HALF) (payouts[0], payouts[1]) = (1, 1);
        else payouts[outcome] = 1;
        IConditionalTokens(conditionalTokens).reportPayouts(questionId(), payouts);
        IPresageSettlement(settlement).closeMarket(marketId());
    }

    function _answerOf(uint8 outcome) internal pure override returns (string memory) {
        return ResolutionClaim.answerOf(outcome);
    }

    function _resultCount() internal pure override returns (uint8) {
        return RESULTS;
    }
}
