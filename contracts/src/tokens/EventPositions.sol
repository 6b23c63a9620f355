// Events: conditions of several outcomes, each of which is a binary market of its own, and the conversion of their NO shares.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OutcomeIds} from "../libraries/OutcomeIds.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {ConditionalTokensCore} from "./ConditionalTokensCore.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

/// @dev YES of an outcome is the position on its single bit, NO the position on all others. No unit of collateral is wrapped or kept
/// anywhere but with the condition.
abstract contract EventPositions is ConditionalTokensCore {
    /// @dev By the id of the event's first market, so that one read tells the condition of any of them.
    mapping(bytes32 firstMarketId => bytes32 eventId) private _eventOf;
    mapping(bytes32 eventId => address) public collateralOfEvent;

    /// @dev Only the oracle names the collateral: a conversion that is signed does not.
    function prepareEvent(address collateralToken, bytes32 questionId, uint256 outcomeCount)
        external
        returns (bytes32 eventId)
    {
        if (outcomeCount < 2) revert TooFewOutcomeSlots();
        if (outcomeCount > OutcomeIds.MAX_OUTCOMES) revert TooManyOutcomeSlots();
        eventId = PositionIds.conditionId(msg.sender, questionId, outcomeCount);
        // Anyone may have prepared the condition before: that must not prevent the event.
        if (payoutNumerators[eventId].length == 0) _prepare(eventId, msg.sender, questionId, outcomeCount);
        bytes32 first = OutcomeIds.marketId(eventId, 0, outcomeCount);
        if (_eventOf[first] != 0) revert EventAlreadyPrepared();
        _eventOf[first] = eventId;
        collateralOfEvent[eventId] = collateralToken;
        emit EventPreparation(eventId, msg.sender, questionId, outcomeCount, collateralToken);
    }

    function convertPositions(bytes32 eventId, uint256 indexes, uint256 amount) external {
        _convert(msg.sender, eventId, indexes, amount);
    }

    // ---------------------------------------------------------------- markets

    function marketOf(bytes32 marketId)
        public
        view
        returns (bytes32 conditionId, uint256 yesIndexSet, uint256 noIndexSet)
    {
        if (OutcomeIds.isMarked(marketId)) {
            conditionId = _eventOf[OutcomeIds.first(marketId)];
            (uint256 index, uint256 count) = (OutcomeIds.indexOf(marketId), OutcomeIds.countOf(marketId));
            if (conditionId != 0 && index < count) return (conditionId, 1 << index, _fullIndexSet(count) ^ (1 << index));
        }
        if (payoutNumerators[marketId].length != 2) revert ConditionNotPrepared();
        return (marketId, 1, 2);
    }

    function outcomeTokens(address collateralToken, bytes32 marketId)
        external
        view
        returns (uint256 yesTokenId, uint256 noTokenId)
    {
        (bytes32 conditionId, uint256 yes, uint256 no) = marketOf(marketId);
        return (_outcomeId(collateralToken, conditionId, yes), _outcomeId(collateralToken, conditionId, no));
    }

    function isResolved(bytes32 marketId) external view returns (bool) {
        (bytes32 conditionId,,) = marketOf(marketId);
        return payoutDenominator[conditionId] != 0;
    }

    function _outcomeId(address collateralToken, bytes32 conditionId, uint256 indexSet) internal view returns (uint256) {
        return PositionIds.positionId(collateralToken, PositionIds.collectionId(0, conditionId, indexSet));
    }

    // ---------------------------------------------------------------- conversion

    /// @dev In every result the NO shares pay one for each of them but the winner's, if that is among them; so do the YES shares of the
    /// others together with one unit less than there were NO shares.
    function _convert(address owner, bytes32 eventId, uint256 indexes, uint256 amount) internal {
        address token = collateralOfEvent[eventId];
        if (token == address(0)) revert ConditionNotPrepared();
        uint256 count = payoutNumerators[eventId].length;
        uint256 all = _fullIndexSet(count);
        if (indexes == 0 || indexes > all) revert InvalidIndexSet();
        uint256[] memory given = _idsOf(token, eventId, indexes, all);
        _burnBatch(owner, given, amount);
        uint256 freed = (given.length - 1) * amount;
        emit PositionsConverted(owner, eventId, indexes, amount, freed);
        if (freed != 0) SafeTransferLib.safeTransfer(token, owner, freed);
        if (indexes != all) _mintBatch(owner, _idsOf(token, eventId, all ^ indexes, 0), amount);
    }

    /// @notice The positions on the single bits of `indexes`, or on what each leaves of `all`.
    function _idsOf(address token, bytes32 eventId, uint256 indexes, uint256 all)
        private
        view
        returns (uint256[] memory ids)
    {
        uint256 length;
        for (uint256 rest = indexes; rest != 0; rest &= rest - 1) ++length;
        ids = new uint256[](length);
        uint256 place;
        for (uint256 rest = indexes; rest != 0; rest &= rest - 1) {
            uint256 bit = rest & (~rest + 1);
            ids[place++] = _outcomeId(token, eventId, all == 0 ? bit : all ^ bit);
        }
    }
}
