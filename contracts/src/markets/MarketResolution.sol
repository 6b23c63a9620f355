// Resolves a market or an event after its expiration: proposals, disputes and settlement through an optimistic oracle, then the payouts.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {MarketStatus} from "../interfaces/IMarket.sol";
import {IMarketOracle} from "../interfaces/IMarketOracle.sol";
import {IOptimisticOracle} from "../interfaces/IOptimisticOracle.sol";
import {ResolutionClaim} from "../libraries/ResolutionClaim.sol";
import {MarketProposals, Proposal} from "./MarketProposals.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketResolution is MarketProposals {
    address public immutable settlement;
    address public immutable marketOracle;
    bool public immutable bondPermitRequired;
    uint64 public immutable VOID_DELAY;

    constructor(address settlement_, address marketOracle_, bool bondPermitRequired_, uint64 voidDelay) {
        settlement = settlement_;
        marketOracle = marketOracle_;
        bondPermitRequired = bondPermitRequired_;
        VOID_DELAY = voidDelay;
    }

    /// @dev Of an assertion that is not this market's, the oracle has nothing to say.
    modifier onlyOracleOf(bytes32 assertionId) {
        address judge = _proposals[assertionId].oracle;
        if (msg.sender != (judge == address(0) ? oracle() : judge)) revert NotOracle();
        if (judge != address(0)) _;
    }

    modifier onlySelf() {
        if (msg.sender != address(this)) revert OnlySelf();
        _;
    }

    /// @dev Asks the conditional tokens whether the market is resolved, rather than storing it here too.
    function status() external view returns (MarketStatus) {
        if (IConditionalTokens(conditionalTokens).payoutDenominator(marketId()) != 0) return MarketStatus.Resolved;
        bytes32 next = _next();
        if (next != 0) return _proposals[next].disputed ? MarketStatus.Disputed : MarketStatus.Proposed;
        return block.timestamp < expiration() ? MarketStatus.Open : MarketStatus.Expired;
    }

    function oracle() public view returns (address) {
        return IMarketOracle(marketOracle).oracle();
    }

    function bond() public view returns (uint256) {
        uint256 agreed = _agreedBond();
        uint256 least = IOptimisticOracle(oracle()).getMinimumBond(collateral);
        return agreed < least ? least : agreed;
    }

    // ---------------------------------------------------------------- for anyone

    function settle() external {
        if (_isResolved) revert MarketAlreadyResolved();
        bytes32 assertionId = _next();
        if (assertionId == 0) revert NoAssertion();
        // Nothing was settled: the oracle says why.
        if (!_settleAll()) IOptimisticOracle(_proposals[assertionId].oracle).settleAssertion(assertionId);
    }

    function void() external {
        if (_isResolved) revert MarketAlreadyResolved();
        _settleAll();
        if (_isResolved) return;
        uint64 from = voidableFrom();
        if (block.timestamp < from) revert TooEarlyToVoid(from);
        uint8 last = _resultCount() - 1;
        _report(last);
        _markResolved(0, last);
    }

    function voidableFrom() public view returns (uint64) {
        uint64 since = expiration();
        return (since < _lastMove ? _lastMove : since) + VOID_DELAY;
    }

    // ---------------------------------------------------------------- for the oracle

    /// @dev If the report fails, for example for lack of gas, the assertion stays live and settle() reports it later; if the bond
    /// cannot be paid back, it stays here for its payer.
    function assertionResolvedCallback(bytes32 assertionId, bool assertedTruthfully) external onlyOracleOf(assertionId) {
        Proposal storage proposal = _proposals[assertionId];
        if (proposal.settled) return;
        proposal.settled = true;
        uint256 amount = proposal.bond;
        _keepBond(proposal.payer, amount, proposal.disputed ? 2 * amount : amount, assertedTruthfully);
        if (!assertedTruthfully) return _reject(assertionId);
        if (_isResolved || _isPreceded(assertionId)) return _close(assertionId);
        try this.reportResult(proposal.outcome) {
            _markResolved(assertionId, proposal.outcome);
        } catch {}
    }

    function assertionDisputedCallback(bytes32 assertionId) external onlyOracleOf(assertionId) {
        _proposals[assertionId].disputed = true;
        emit ResolutionDisputed(assertionId);
    }

    function reportResult(uint8 outcome) external onlySelf {
        _report(outcome);
    }

    // ----------------------------------------------------------------

    /// @dev What a result pays, and the markets that end with it: both or neither, since a market must not have a result while its shares
    /// still trade.
    function _report(uint8 outcome) internal virtual;

    /// @return the sentence that asserts a result
    function _answerOf(uint8 outcome) internal view virtual returns (string memory);

    /// @dev The bond is here already.
    function _assertOutcome(address proposer, address payer, uint8 outcome, uint32 round, uint256 amount)
        internal
        returns (bytes32 assertionId)
    {
        address judge = oracle();
        assertionId = _assert(IOptimisticOracle(judge), outcome, round, amount);
        _open(
            assertionId,
            Proposal({
                proposer: proposer,
                proposedAt: uint64(block.timestamp),
                round: round,
                payer: payer,
                outcome: outcome,
                disputed: false,
                settled: false,
                oracle: judge,
                bond: amount
            })
        );
    }

    /// @dev The market itself is the asserter: an oracle that cannot pay the asserter would never settle.
    function _assert(IOptimisticOracle judge, uint8 outcome, uint32 round, uint256 amount) private returns (bytes32) {
        SafeTransferLib.safeApproveWithRetry(collateral, address(judge), amount);
        (string memory asked, string memory rules,) = _texts();
        bytes32 id = marketId();
        return judge.assertTruth(
            ResolutionClaim.write(id, round, _answerOf(outcome), asked, rules),
            address(this),
            address(this),
            address(0),
            DISPUTE_WINDOW,
            collateral,
            amount,
            judge.defaultIdentifier(),
            id
        );
    }

    /// @return isAny whether an assertion was settled
    function _settleAll() internal returns (bool isAny) {
        uint8 count = _resultCount();
        for (uint8 outcome; outcome < count; ++outcome) {
            bytes32 assertionId = _live[outcome];
            if (assertionId != 0 && _trySettle(assertionId)) isAny = true;
        }
    }

    /// @dev An oracle that answers no more must not prevent the market from ending.
    function _trySettle(bytes32 assertionId) private returns (bool) {
        IOptimisticOracle judge = IOptimisticOracle(_proposals[assertionId].oracle);
        try judge.getAssertion(assertionId) returns (IOptimisticOracle.Assertion memory made) {
            if (!made.settled && !_callSettle(judge, assertionId, made)) return false;
        } catch {
            return false;
        }
        uint8 outcome = _proposals[assertionId].outcome;
        // The callback has done the rest, unless it lacked gas.
        if (_isResolved || _live[outcome] != assertionId) return true;
        if (!judge.getAssertionResult(assertionId)) {
            _reject(assertionId);
        } else if (_isPreceded(assertionId)) {
            _close(assertionId);
        } else {
            _report(outcome);
            _markResolved(assertionId, outcome);
        }
        return true;
    }

    function _callSettle(IOptimisticOracle judge, bytes32 assertionId, IOptimisticOracle.Assertion memory made)
        private
        returns (bool)
    {
        if (made.disputer == address(0) && block.timestamp < made.expirationTime) return false;
        // If it runs out of gas, the 64th part that is left is too little for what follows, so nothing is taken for stuck or void.
        try judge.settleAssertion(assertionId) {
            return true;
        } catch {
            _requireGas();
            return false;
        }
    }

    /// @dev An oracle that noticed in time that it lacks gas leaves enough to void the market with. Only four bytes of its answer are read: it may be long.
    function _requireGas() private pure {
        bytes32 start;
        assembly ("memory-safe") {
            if gt(returndatasize(), 3) {
                mstore(0x00, 0)
                returndatacopy(0x00, 0x00, 0x04)
                start := mload(0x00)
            }
        }
        if (bytes4(start) == NotEnoughGas.selector) revert NotEnoughGas();
    }

    function _requireNext() internal view returns (uint8 outcome) {
        bytes32 assertionId = _next();
        if (assertionId == 0) revert NoAssertion();
        return _proposals[assertionId].outcome;
    }

    /// @dev What can be settled is settled first. An assertion that the oracle cannot settle frees its outcome.
    function _requireProposable(uint8 outcome) internal {
        if (outcome >= _resultCount()) revert NoSuchOutcome(outcome);
        if (block.timestamp < expiration() && !earlyResolution()) revert MarketNotExpired();
        if (!_isResolved) _settleAll();
        if (_isResolved) revert MarketAlreadyResolved();
        bytes32 assertionId = _live[outcome];
        if (assertionId == 0) return;
        if (!_isStuck(assertionId)) revert AssertionUnderWay(assertionId);
        _close(assertionId);
        emit AssertionStuck(assertionId);
    }

    /// @dev A sponsor has one bond in a market at a time: proposers who risk nothing could draw one for each outcome.
    function _requireNoOtherSponsored() internal view {
        uint8 count = _resultCount();
        for (uint8 outcome; outcome < count; ++outcome) {
            bytes32 assertionId = _live[outcome];
            Proposal storage proposal = _proposals[assertionId];
            bool isSponsored = assertionId != 0 && proposal.payer != proposal.proposer;
            if (isSponsored && !_isStuck(assertionId)) revert AssertionUnderWay(assertionId);
        }
    }
}
