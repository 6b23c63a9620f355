// Gnosis conditional tokens that also obey their owner's signature and serve an exchange without calling receivers.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PositionIds} from "../libraries/PositionIds.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";
import {ConditionalTokensCore} from "./ConditionalTokensCore.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

contract ConditionalTokensWithPermit is ConditionalTokensCore, SignedOperations {
    bytes32 private constant APPROVAL_TYPEHASH =
        keccak256("SetApprovalForAll(address owner,address operator,bool approved,uint256 nonce,uint256 deadline)");
    bytes32 private constant REDEEM_TYPEHASH = keccak256(
        "RedeemPositions(address owner,address collateralToken,bytes32 parentCollectionId,bytes32 conditionId,uint256[] indexSets,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant SPLIT_TYPEHASH = keccak256(
        "SplitPosition(address owner,address collateralToken,bytes32 conditionId,uint256 amount,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant MERGE_TYPEHASH = keccak256(
        "MergePositions(address owner,address collateralToken,bytes32 conditionId,uint256 amount,uint256 nonce,uint256 deadline)"
    );
    uint256 private constant YES = 1;
    uint256 private constant NO = 2;

    // ---------------------------------------------------------------- signed

    function setApprovalForAllBySig(
        address owner,
        address operator,
        bool approved,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash =
            keccak256(abi.encode(APPROVAL_TYPEHASH, owner, operator, approved, nonces[owner]++, deadline));
        _requireSigned(owner, structHash, deadline, v, r, s);
        _setApproval(owner, operator, approved);
    }

    function redeemPositionsBySig(
        address owner,
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash = keccak256(
            abi.encode(
                REDEEM_TYPEHASH,
                owner,
                collateralToken,
                parentCollectionId,
                conditionId,
                keccak256(abi.encodePacked(indexSets)),
                nonces[owner]++,
                deadline
            )
        );
        _requireSigned(owner, structHash, deadline, v, r, s);
        _redeem(owner, collateralToken, parentCollectionId, conditionId, indexSets);
    }

    function splitPositionBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash = _amountHash(SPLIT_TYPEHASH, owner, collateralToken, conditionId, amount, deadline);
        _requireSigned(owner, structHash, deadline, v, r, s);
        _split(owner, collateralToken, 0, conditionId, _binaryPartition(), amount);
    }

    function mergePositionsBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash = _amountHash(MERGE_TYPEHASH, owner, collateralToken, conditionId, amount, deadline);
        _requireSigned(owner, structHash, deadline, v, r, s);
        _merge(owner, collateralToken, 0, conditionId, _binaryPartition(), amount);
    }

    function _amountHash(
        bytes32 typehash,
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline
    ) private returns (bytes32) {
        return keccak256(
            abi.encode(typehash, owner, collateralToken, conditionId, amount, nonces[owner]++, deadline)
        );
    }

    // ---------------------------------------------------------------- for an exchange

    function operatorTransfer(address from, address to, uint256 id, uint256 amount) external returns (uint256 moved) {
        return _moveHeld(from, to, id, amount);
    }

    function splitTo(address collateralToken, bytes32 conditionId, uint256 amount, address yesTo, address noTo)
        external
    {
        if (payoutNumerators[conditionId].length != 2) revert ConditionNotPrepared();
        SafeTransferLib.safeTransferFrom(collateralToken, msg.sender, address(this), amount);
        _mintQuietly(yesTo, _outcomeId(collateralToken, conditionId, YES), amount);
        _mintQuietly(noTo, _outcomeId(collateralToken, conditionId, NO), amount);
        emit PositionSplit(msg.sender, collateralToken, 0, conditionId, _binaryPartition(), amount);
    }

    function _outcomeId(address collateralToken, bytes32 conditionId, uint256 indexSet)
        private
        view
        returns (uint256)
    {
        return PositionIds.positionId(collateralToken, PositionIds.collectionId(0, conditionId, indexSet));
    }

    function _binaryPartition() private pure returns (uint256[] memory partition) {
        partition = new uint256[](2);
        (partition[0], partition[1]) = (YES, NO);
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("ConditionalTokensWithPermit", "1");
    }
}
