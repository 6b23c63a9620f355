// Gnosis conditional tokens that also accept operations by signature, and transfers by an exchange without calling receivers.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedRedemption} from "../interfaces/IConditionalTokens.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";
import {EventPositions} from "./EventPositions.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

contract ConditionalTokensWithPermit is EventPositions, SignedOperations {
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
    bytes32 private constant CONVERT_TYPEHASH = keccak256(
        "ConvertPositions(address owner,bytes32 eventId,uint256 indexes,uint256 amount,uint256 nonce,uint256 deadline)"
    );

    // ---------------------------------------------------------------- signed by a key

    function setApprovalForAllBySig(
        address owner,
        address operator,
        bool approved,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _approveSigned(owner, operator, approved, deadline, _join(v, r, s));
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
        bytes memory signature = _join(v, r, s);
        _redeemSigned(owner, collateralToken, parentCollectionId, conditionId, indexSets, deadline, signature);
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
        _splitSigned(owner, collateralToken, conditionId, amount, deadline, _join(v, r, s));
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
        _mergeSigned(owner, collateralToken, conditionId, amount, deadline, _join(v, r, s));
    }

    function convertPositionsBySig(
        address owner,
        bytes32 eventId,
        uint256 indexes,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _convertSigned(owner, eventId, indexes, amount, deadline, _join(v, r, s));
    }

    // ---------------------------------------------------------------- signed by a key or by a wallet

    function setApprovalForAllBySig(
        address owner,
        address operator,
        bool approved,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _approveSigned(owner, operator, approved, deadline, signature);
    }

    function redeemPositionsBySig(
        address owner,
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _redeemSigned(owner, collateralToken, parentCollectionId, conditionId, indexSets, deadline, signature);
    }

    function redeemPositionsBatchBySig(SignedRedemption[] calldata redemptions) external {
        for (uint256 i; i < redemptions.length; ++i) {
            SignedRedemption calldata one = redemptions[i];
            if (one.nonce < nonces[one.owner]) {
                emit RedemptionSkipped(one.owner, one.conditionId, one.nonce);
                continue;
            }
            _redeemSigned(
                one.owner,
                one.collateralToken,
                one.parentCollectionId,
                one.conditionId,
                one.indexSets,
                one.deadline,
                one.signature
            );
        }
    }

    function splitPositionBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _splitSigned(owner, collateralToken, conditionId, amount, deadline, signature);
    }

    function mergePositionsBySig(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _mergeSigned(owner, collateralToken, conditionId, amount, deadline, signature);
    }

    function convertPositionsBySig(
        address owner,
        bytes32 eventId,
        uint256 indexes,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _convertSigned(owner, eventId, indexes, amount, deadline, signature);
    }

    // ----------------------------------------------------------------

    function _approveSigned(
        address owner,
        address operator,
        bool approved,
        uint256 deadline,
        bytes memory signature
    ) private {
        bytes32 structHash =
            keccak256(abi.encode(APPROVAL_TYPEHASH, owner, operator, approved, nonces[owner]++, deadline));
        _requireSigned(owner, structHash, deadline, signature);
        _setApproval(owner, operator, approved);
    }

    function _redeemSigned(
        address owner,
        address collateralToken,
        bytes32 parentCollectionId,
        bytes32 conditionId,
        uint256[] calldata indexSets,
        uint256 deadline,
        bytes memory signature
    ) private {
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
        _requireSigned(owner, structHash, deadline, signature);
        _redeem(owner, collateralToken, parentCollectionId, conditionId, indexSets);
    }

    function _splitSigned(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        bytes memory signature
    ) private {
        bytes32 structHash = _amountHash(SPLIT_TYPEHASH, owner, collateralToken, conditionId, amount, deadline);
        _requireSigned(owner, structHash, deadline, signature);
        (bytes32 splitId, uint256[] memory partition) = _partitionOf(conditionId);
        _split(owner, collateralToken, 0, splitId, partition, amount);
    }

    function _mergeSigned(
        address owner,
        address collateralToken,
        bytes32 conditionId,
        uint256 amount,
        uint256 deadline,
        bytes memory signature
    ) private {
        bytes32 structHash = _amountHash(MERGE_TYPEHASH, owner, collateralToken, conditionId, amount, deadline);
        _requireSigned(owner, structHash, deadline, signature);
        (bytes32 mergedId, uint256[] memory partition) = _partitionOf(conditionId);
        _merge(owner, collateralToken, 0, mergedId, partition, amount);
    }

    function _convertSigned(
        address owner,
        bytes32 eventId,
        uint256 indexes,
        uint256 amount,
        uint256 deadline,
        bytes memory signature
    ) private {
        bytes32 structHash =
            keccak256(abi.encode(CONVERT_TYPEHASH, owner, eventId, indexes, amount, nonces[owner]++, deadline));
        _requireSigned(owner, structHash, deadline, signature);
        _convert(owner, eventId, indexes, amount);
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

    function splitTo(address collateralToken, bytes32 marketId, uint256 amount, address yesTo, address noTo)
        external
    {
        (bytes32 conditionId, uint256[] memory partition) = _partitionOf(marketId);
        SafeTransferLib.safeTransferFrom(collateralToken, msg.sender, address(this), amount);
        _mintQuietly(yesTo, _outcomeId(collateralToken, conditionId, partition[0]), amount);
        _mintQuietly(noTo, _outcomeId(collateralToken, conditionId, partition[1]), amount);
        emit PositionSplit(msg.sender, collateralToken, 0, conditionId, partition, amount);
    }

    /// @return conditionId the condition of the market
    /// @return partition the index sets of its YES and NO
    function _partitionOf(bytes32 marketId) private view returns (bytes32 conditionId, uint256[] memory partition) {
        partition = new uint256[](2);
        (conditionId, partition[0], partition[1]) = marketOf(marketId);
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("ConditionalTokensWithPermit", "1");
    }
}
