// What traders can do without the operator: cancel an order or halt all their trading, by their own transaction or by signature.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FilledAmounts} from "../libraries/FilledAmounts.sol";
import {HaltedTraders} from "../libraries/HaltedTraders.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";
import {SettlementGrace} from "./SettlementGrace.sol";
import {SettlementRoles} from "./SettlementRoles.sol";

/// @dev Both take effect after the grace, so that nobody can void a matched trade by acting before it settles.
abstract contract TraderControls is SettlementRoles, SettlementGrace, SignedOperations {
    bytes32 private constant CANCEL_TYPEHASH =
        keccak256("CancelOrder(address trader,bytes32 marketId,uint64 orderNonce,uint256 deadline)");
    bytes32 private constant HALT_TYPEHASH = keccak256("HaltTrading(address trader,uint256 nonce,uint256 deadline)");
    bytes32 private constant RESUME_TYPEHASH = keccak256("ResumeTrading(address trader,uint256 nonce,uint256 deadline)");

    mapping(address trader => mapping(bytes32 marketId => mapping(uint256 nonce => uint64))) private _cancels;

    // ---------------------------------------------------------------- one order

    function requestCancel(bytes32 marketId, uint64 nonce) external {
        _requestCancel(msg.sender, marketId, nonce);
    }

    /// @dev Needs no nonce of its own: a cancel can be requested only once and cannot be undone.
    function requestCancelBySig(
        address trader,
        bytes32 marketId,
        uint64 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external {
        bytes32 structHash = keccak256(abi.encode(CANCEL_TYPEHASH, trader, marketId, nonce, deadline));
        _requireSigned(trader, structHash, deadline, signature);
        _requestCancel(trader, marketId, nonce);
    }

    function cancelEffectiveAfter(address trader, bytes32 marketId, uint64 nonce) public view returns (uint64) {
        return _cancels[trader][marketId][nonce];
    }

    function _requestCancel(address trader, bytes32 marketId, uint64 nonce) private {
        uint64 earlier = _cancels[trader][marketId][nonce];
        // A second request must not change when the first takes effect.
        if (earlier != 0) revert CancelAlreadyRequested(earlier);
        uint64 effectiveAfter = _afterGrace();
        _cancels[trader][marketId][nonce] = effectiveAfter;
        bytes32 slot = FilledAmounts.slotOf(trader, marketId, nonce);
        FilledAmounts.store(slot, FilledAmounts.withFlag(FilledAmounts.load(slot), nonce));
        emit OrderCancelRequested(trader, marketId, nonce, effectiveAfter);
    }

    // ---------------------------------------------------------------- all orders

    /// @dev Advances the nonce as a signed halt does, so that a ResumeTrading signed before and withheld cannot undo it.
    function haltTrading() external {
        unchecked {
            ++nonces[msg.sender];
        }
        _halt(msg.sender);
    }

    function haltTradingBySig(address trader, uint256 deadline, bytes calldata signature) external {
        _requireSigned(trader, _nonceHash(HALT_TYPEHASH, trader, deadline), deadline, signature);
        _halt(trader);
    }

    function resumeTrading() external {
        _resume(msg.sender);
    }

    function resumeTradingBySig(address trader, uint256 deadline, bytes calldata signature) external {
        _requireSigned(trader, _nonceHash(RESUME_TYPEHASH, trader, deadline), deadline, signature);
        _resume(trader);
    }

    function haltEffectiveAfter(address trader) external view returns (uint64) {
        return uint64(HaltedTraders.effectiveAfter(trader));
    }

    function _halt(address trader) private {
        uint256 earlier = HaltedTraders.effectiveAfter(trader);
        if (earlier != 0) revert AlreadyHalted(uint64(earlier));
        uint64 effectiveAfter = _afterGrace();
        HaltedTraders.store(trader, effectiveAfter);
        _addToHaltFilter(HaltedTraders.bitOf(trader));
        emit TradingHalted(trader, effectiveAfter);
    }

    /// @dev The trader's bit stays in the filter, since other halted traders may share it.
    function _resume(address trader) private {
        if (HaltedTraders.effectiveAfter(trader) == 0) revert NotHalted();
        HaltedTraders.store(trader, 0);
        emit TradingResumed(trader);
    }

    function _nonceHash(bytes32 typehash, address trader, uint256 deadline) private returns (bytes32) {
        return keccak256(abi.encode(typehash, trader, nonces[trader]++, deadline));
    }

    function _afterGrace() private view returns (uint64) {
        return uint64(block.timestamp + SETTLEMENT_GRACE);
    }
}
