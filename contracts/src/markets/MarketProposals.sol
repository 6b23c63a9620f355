// The proposals of a market: at most one live assertion for each outcome, so that none prevents another.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Resolution} from "../interfaces/IMarket.sol";
import {MarketBonds} from "./MarketBonds.sol";

/// @param oracle where it was asserted
/// @param payer who paid the bond
struct Proposal {
    address proposer;
    uint64 proposedAt;
    uint32 round;
    address payer;
    uint8 outcome;
    bool disputed;
    bool settled;
    address oracle;
    uint256 bond;
}

abstract contract MarketProposals is MarketBonds {
    uint64 public constant DISPUTE_WINDOW = 2 hours;
    uint64 public constant STUCK_DELAY = 7 days;

    mapping(bytes32 assertionId => Proposal) internal _proposals;
    mapping(uint8 outcome => bytes32 assertionId) internal _live;
    uint32 internal _round;
    bool internal _isResolved;
    uint8 private _winner;
    /// @dev The second of the last proposal or rejection.
    uint64 internal _lastMove;
    /// @dev The assertion that resolved the market; zero if it was voided.
    bytes32 private _decidedBy;

    /// @dev How many results can be proposed. The last of them pays all outcomes the same.
    function _resultCount() internal view virtual returns (uint8);

    function liveAssertion(uint8 outcome) external view returns (bytes32) {
        if (outcome >= _resultCount()) revert NoSuchOutcome(outcome);
        return _live[outcome];
    }

    function resolution() public view returns (Resolution memory shown) {
        bytes32 id = _isResolved ? _decidedBy : _next();
        Proposal storage proposal = _proposals[id];
        return Resolution({
            assertionId: id,
            proposer: proposal.proposer,
            round: _round,
            proposedOutcome: _isResolved ? _winner : proposal.outcome,
            disputed: proposal.disputed,
            resolved: _isResolved
        });
    }

    function _open(bytes32 assertionId, Proposal memory proposal) internal {
        _proposals[assertionId] = proposal;
        _live[proposal.outcome] = assertionId;
        _round = proposal.round;
        _lastMove = uint64(block.timestamp);
        emit ResolutionProposed(
            assertionId,
            proposal.proposer,
            proposal.payer,
            proposal.outcome,
            proposal.round,
            proposal.proposedAt + DISPUTE_WINDOW
        );
    }

    /// @dev Whatever the oracle says of an assertion after the result concerns its bonds only.
    function _reject(bytes32 assertionId) internal {
        _close(assertionId);
        if (_isResolved) return;
        _lastMove = uint64(block.timestamp);
        emit ResolutionRejected(assertionId);
    }

    function _close(bytes32 assertionId) internal {
        uint8 outcome = _proposals[assertionId].outcome;
        if (_live[outcome] == assertionId) delete _live[outcome];
    }

    function _markResolved(bytes32 assertionId, uint8 outcome) internal {
        (_isResolved, _winner, _decidedBy) = (true, outcome, assertionId);
        _close(assertionId);
        emit MarketResolved(assertionId, outcome);
    }

    /// @dev For an assertion that could not be settled a moment ago.
    function _isStuck(bytes32 assertionId) internal view returns (bool) {
        Proposal storage proposal = _proposals[assertionId];
        uint64 delay = proposal.disputed ? STUCK_DELAY : DISPUTE_WINDOW;
        return block.timestamp >= proposal.proposedAt + delay;
    }

    /// @dev Of two undisputed outcomes the one proposed first counts, no matter which of them is settled first. One at an oracle that was
    /// replaced does not: an oracle is replaced when it no longer serves, so that nobody could dispute it there.
    function _isPreceded(bytes32 assertionId) internal view returns (bool) {
        Proposal storage proposal = _proposals[assertionId];
        if (proposal.disputed) return false;
        uint8 count = _resultCount();
        for (uint8 outcome; outcome < count; ++outcome) {
            bytes32 other = _live[outcome];
            if (other == 0 || other == assertionId) continue;
            Proposal storage earlier = _proposals[other];
            if (earlier.disputed || earlier.oracle != proposal.oracle) continue;
            if (block.timestamp < earlier.proposedAt + DISPUTE_WINDOW) continue;
            if (earlier.round < proposal.round) return true;
        }
        return false;
    }

    /// @dev The live assertion that decides next unless something happens: the oldest undisputed one, else the oldest.
    function _next() internal view returns (bytes32 found) {
        uint8 count = _resultCount();
        for (uint8 outcome; outcome < count; ++outcome) {
            bytes32 id = _live[outcome];
            if (id == 0) continue;
            (Proposal storage candidate, Proposal storage best) = (_proposals[id], _proposals[found]);
            bool isFirst = candidate.disputed == best.disputed ? candidate.round < best.round : best.disputed;
            if (found == 0 || isFirst) found = id;
        }
    }
}
