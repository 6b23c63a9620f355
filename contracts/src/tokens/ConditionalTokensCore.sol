// Conditions, splits, merges and redemptions with the ids, events and errors of Gnosis conditional tokens.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {ShareLedger} from "./ShareLedger.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract ConditionalTokensCore is IConditionalTokens, ShareLedger {
    /// @dev Its length is the condition's number of outcomes: zero until it is prepared.
    mapping(bytes32 conditionId => uint256[]) public payoutNumerators;
    /// @dev Zero until the oracle has reported.
    mapping(bytes32 conditionId => uint256) public payoutDenominator;

    function prepareCondition(address oracle, bytes32 questionId, uint256 outcomeSlotCount) external {
        if (outcomeSlotCount > 256) revert TooManyOutcomeSlots();
        if (outcomeSlotCount < 2) revert TooFewOutcomeSlots();
        bytes32 conditionId = PositionIds.conditionId(oracle, questionId, outcomeSlotCount);
        if (payoutNumerators[conditionId].length != 0) revert ConditionAlreadyPrepared();
        _prepare(conditionId, oracle, questionId, outcomeSlotCount);
    }

    function reportPayouts(bytes32 questionId, uint256[] calldata payouts) external {
        uint256 count = payouts.length;
        if (count < 2) revert TooFewOutcomeSlots();
        bytes32 conditionId = PositionIds.conditionId(msg.sender, questionId, count);
        uint256[] storage numerators = payoutNumerators[conditionId];
        if (numerators.length != count) revert ConditionNotPrepared();
        if (payoutDenominator[conditionId] != 0) revert ConditionAlreadyResolved();
        uint256 denominator;
        for (uint256 i; i < count; ++i) {
            denominator += payouts[i];
            numerators[i] = payouts[i];
        }
        if (denominator == 0) revert PayoutIsAllZeroes();
        payoutDenominator[conditionId] = denominator;
        emit ConditionResolution(conditionId, msg.sender, questionId, count, payouts);
    }

    function splitPosition(
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata partition,
        uint256 amount
    ) external {
        _split(msg.sender, collateralToken, parentCollectionId, conditionId, partition, amount);
    }

    function mergePositions(
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata partition,
        uint256 amount
    ) external {
        _merge(msg.sender, collateralToken, parentCollectionId, conditionId, partition, amount);
    }

    function redeemPositions(
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets
    ) external {
        _redeem(msg.sender, collateralToken, parentCollectionId, conditionId, indexSets);
    }

    function getOutcomeSlotCount(bytes32 conditionId) external view returns (uint256) {
        return payoutNumerators[conditionId].length;
    }

    function getConditionId(address oracle, bytes32 questionId, uint256 outcomeSlotCount)
        external
        pure
        returns (bytes32)
    {
        return PositionIds.conditionId(oracle, questionId, outcomeSlotCount);
    }

    function getCollectionId(bytes32 parentCollectionId, bytes32 conditionId, uint256 indexSet)
        external
        view
        returns (bytes32)
    {
        return PositionIds.collectionId(parentCollectionId, conditionId, indexSet);
    }

    function getPositionId(address collateralToken, bytes32 collectionId) external pure returns (uint256) {
        return PositionIds.positionId(collateralToken, collectionId);
    }

    // ---------------------------------------------------------------- for the sender and for signers alike

    function _prepare(bytes32 conditionId, address oracle, bytes32 questionId, uint256 outcomeSlotCount) internal {
        payoutNumerators[conditionId] = new uint256[](outcomeSlotCount);
        emit ConditionPreparation(conditionId, oracle, questionId, outcomeSlotCount);
    }

    function _split(
        address owner,
        address token,
        bytes32 parent,
        bytes32 conditionId,
        uint256[] memory partition,
        uint256 amount
    ) internal {
        (uint256[] memory ids, uint256 united) = _positionsOf(token, parent, conditionId, partition);
        if (united == 0 && parent == 0) {
            SafeTransferLib.safeTransferFrom(token, owner, address(this), amount);
        } else {
            _burn(owner, _unitedPosition(token, parent, conditionId, united), amount);
        }
        _mintBatch(owner, ids, amount);
        emit PositionSplit(owner, token, parent, conditionId, partition, amount);
    }

    function _merge(
        address owner,
        address token,
        bytes32 parent,
        bytes32 conditionId,
        uint256[] memory partition,
        uint256 amount
    ) internal {
        (uint256[] memory ids, uint256 united) = _positionsOf(token, parent, conditionId, partition);
        _burnBatch(owner, ids, amount);
        if (united == 0 && parent == 0) {
            SafeTransferLib.safeTransfer(token, owner, amount);
        } else {
            _mint(owner, _unitedPosition(token, parent, conditionId, united), amount);
        }
        emit PositionsMerge(owner, token, parent, conditionId, partition, amount);
    }

    function _redeem(
        address owner,
        address token,
        bytes32 parent,
        bytes32 conditionId,
        uint256[] calldata indexSets
    ) internal {
        uint256 denominator = payoutDenominator[conditionId];
        if (denominator == 0) revert ConditionNotResolved();
        uint256 fullIndexSet = _fullIndexSet(payoutNumerators[conditionId].length);
        uint256 payout;
        for (uint256 i; i < indexSets.length; ++i) {
            _requireIndexSet(indexSets[i], fullIndexSet);
            uint256 id =
                PositionIds.positionId(token, PositionIds.collectionId(parent, conditionId, indexSets[i]));
            uint256 stake = balanceOf(owner, id);
            if (stake == 0) continue;
            payout += stake * _numeratorOf(conditionId, indexSets[i]) / denominator;
            _burn(owner, id, stake);
        }
        if (payout != 0) {
            if (parent == 0) SafeTransferLib.safeTransfer(token, owner, payout);
            else _mint(owner, PositionIds.positionId(token, parent), payout);
        }
        emit PayoutRedemption(owner, token, parent, conditionId, indexSets, payout);
    }

    /// @return ids the positions on the parts
    /// @return united the union of the parts' index sets, or zero if it is the whole condition
    function _positionsOf(address token, bytes32 parent, bytes32 conditionId, uint256[] memory partition)
        private
        view
        returns (uint256[] memory ids, uint256 united)
    {
        if (partition.length < 2) revert TrivialPartition();
        uint256 slotCount = payoutNumerators[conditionId].length;
        if (slotCount == 0) revert ConditionNotPrepared();
        uint256 fullIndexSet = _fullIndexSet(slotCount);
        ids = new uint256[](partition.length);
        for (uint256 i; i < partition.length; ++i) {
            uint256 indexSet = partition[i];
            _requireIndexSet(indexSet, fullIndexSet);
            if (indexSet & united != 0) revert PartitionNotDisjoint();
            united |= indexSet;
            ids[i] = PositionIds.positionId(token, PositionIds.collectionId(parent, conditionId, indexSet));
        }
        if (united == fullIndexSet) united = 0;
    }

    /// @dev The position that the parts are split from or merged into, unless that is the collateral itself.
    function _unitedPosition(address token, bytes32 parent, bytes32 conditionId, uint256 united)
        private
        view
        returns (uint256)
    {
        if (united == 0) return PositionIds.positionId(token, parent);
        return PositionIds.positionId(token, PositionIds.collectionId(parent, conditionId, united));
    }

    function _numeratorOf(bytes32 conditionId, uint256 indexSet) private view returns (uint256 numerator) {
        uint256[] storage numerators = payoutNumerators[conditionId];
        for (uint256 j; j < numerators.length; ++j) {
            if (indexSet & (1 << j) != 0) numerator += numerators[j];
        }
    }

    function _requireIndexSet(uint256 indexSet, uint256 fullIndexSet) private pure {
        if (indexSet == 0 || indexSet >= fullIndexSet) revert InvalidIndexSet();
    }

    /// @dev 256 outcomes use every bit: 1 << 256 is zero, and zero minus one is all ones.
    function _fullIndexSet(uint256 slotCount) internal pure returns (uint256) {
        unchecked {
            return (1 << slotCount) - 1;
        }
    }
}
