// The market of one outcome of an event: what signers do with it is carried out by the event.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IEventMarket} from "../interfaces/IEventMarket.sol";
import {IMarket, MarketStatus, Resolution} from "../interfaces/IMarket.sol";
import {IOutcomeMarket} from "../interfaces/IOutcomeMarket.sol";
import {IResolution} from "../interfaces/IResolution.sol";
import {BondPayment} from "../interfaces/ISignedProposals.sol";
import {BondDrawing} from "../libraries/BondDrawing.sol";
import {SignedProposals} from "./SignedProposals.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

/// @dev Clones carry abi.encode(event, index) after their code. Results are told as for any market: 0 is YES, 1 is NO, 2 that all outcomes
/// of the event pay the same.
contract OutcomeMarket is IOutcomeMarket, SignedProposals {
    uint8 private constant YES = 0;
    uint8 private constant NO = 1;

    function event_() public view returns (address account) {
        (account,) = _terms();
    }

    function index() public view returns (uint8 place) {
        (, place) = _terms();
    }

    // ---------------------------------------------------------------- for anyone

    function settle() external {
        IResolution(event_()).settle();
    }

    function void() external {
        IResolution(event_()).void();
    }

    // ---------------------------------------------------------------- reading

    function marketId() external view returns (bytes32) {
        return IEventMarket(event_()).outcomeMarketId(index());
    }

    function name() external view returns (string memory) {
        return IEventMarket(event_()).outcomeName(index());
    }

    function bond() public view returns (uint256) {
        return IMarket(event_()).bond();
    }

    function expiration() external view returns (uint64) {
        return IMarket(event_()).expiration();
    }

    function bondPermitRequired() public view returns (bool) {
        return IResolution(event_()).bondPermitRequired();
    }

    function status() external view returns (MarketStatus) {
        return IMarket(event_()).status();
    }

    function resolution() public view returns (Resolution memory shown) {
        shown = IMarket(event_()).resolution();
        if (shown.proposedOutcome == IEventMarket(event_()).outcomeCount()) shown.proposedOutcome = HALF;
        else shown.proposedOutcome = shown.proposedOutcome == index() ? YES : NO;
    }

    // ----------------------------------------------------------------

    /// @dev That an outcome has lost follows from another one that has won, and is not proposed by itself.
    function _propose(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes memory signature,
        BondPayment calldata payment
    ) internal override returns (bytes32) {
        if (outcome != YES && outcome != HALF) revert EventNeedsWinner();
        uint256 amount = bond();
        uint32 round = IMarket(event_()).resolution().round + 1;
        _requireProposal(proposer, outcome, payment.payer, amount, round, deadline, signature);
        if (payment.payer != proposer && (payment.payer != msg.sender || bondPermitRequired())) {
            revert IResolution.BondPayerNotAllowed(payment.payer);
        }
        address token = IMarket(event_()).collateral();
        BondDrawing.draw(token, payment, amount);
        SafeTransferLib.safeApproveWithRetry(token, event_(), amount);
        return IEventMarket(event_()).propose(index(), outcome == HALF, proposer, payment.payer);
    }

    function _settleSigned(address settler, uint8 winningOutcome, uint256 deadline, bytes memory signature) internal override {
        _requireSettlement(settler, winningOutcome, deadline, signature);
        IResolution(event_()).settle();
        Resolution memory result = resolution();
        if (!result.resolved) revert IResolution.AssertionRejected(result.assertionId);
        if (result.proposedOutcome != winningOutcome) revert IResolution.OutcomeDiffers(result.proposedOutcome);
    }

    function _terms() private view returns (address, uint8) {
        return abi.decode(LibClone.argsOnClone(address(this), 0, 64), (address, uint8));
    }
}
