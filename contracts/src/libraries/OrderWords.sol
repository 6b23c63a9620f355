// Orders read straight from calldata: their digest, their signer, and fields whose encoding is checked once, not at every use.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order, Signature} from "../interfaces/IPresageSettlement.sol";
import {ECDSA} from "solady/src/utils/ECDSA.sol";

/// @dev Where an order's nine words begin in calldata.
type OrderRef is uint256;

using OrderWords for OrderRef global;

/// @dev Solidity checks a calldata field for stray high bits whenever it is read, at a cost that a batch of 100 fills feels.
/// Here `isWellFormed` looks once, together with the signature, and the readers below are for orders that passed.
library OrderWords {
    bytes32 internal constant ORDER_TYPEHASH = keccak256(
        "Order(bytes32 marketId,address trader,uint8 side,uint8 outcome,uint64 price,uint64 size,uint64 nonce,uint64 expiration,address makerFeeRecipient)"
    );
    uint256 private constant S_MASK = (1 << 255) - 1;

    /// @dev The caller has checked that `index` is below the length.
    function refAt(Order[] calldata orders, uint256 index) internal pure returns (OrderRef order) {
        assembly ("memory-safe") {
            order := add(orders.offset, mul(index, 0x120))
        }
    }

    function refTo(Order calldata order) internal pure returns (OrderRef ref) {
        assembly ("memory-safe") {
            ref := order
        }
    }

    /// @dev The nine calldata words of an order are exactly the words that EIP-712 hashes.
    function digestOf(OrderRef order, bytes32 domainSeparator) internal pure returns (bytes32 digest) {
        bytes32 typehash = ORDER_TYPEHASH;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, typehash)
            calldatacopy(add(pointer, 0x20), order, 0x120)
            let structHash := keccak256(pointer, 0x140)
            mstore(pointer, hex"1901")
            mstore(add(pointer, 0x02), domainSeparator)
            mstore(add(pointer, 0x22), structHash)
            digest := keccak256(pointer, 0x42)
        }
    }

    /// @dev Of the two signatures that every signer has for a message, only the one with the low s is good.
    function isSigned(OrderRef order, bytes32 digest, Signature calldata signature) internal view returns (bool) {
        if (uint256(signature.vs) & S_MASK > ECDSA.N / 2) return false;
        address recovered = ECDSA.tryRecover(digest, signature.r, signature.vs);
        if (recovered == address(0)) return false;
        if (recovered != order.trader()) return false;
        return order.isWellFormed();
    }

    /// @dev True if every field fits its type.
    function isWellFormed(OrderRef order) internal pure returns (bool wellFormed) {
        assembly ("memory-safe") {
            let addresses := or(calldataload(add(order, 0x20)), calldataload(add(order, 0x100)))
            let bytesOnly := or(calldataload(add(order, 0x40)), calldataload(add(order, 0x60)))
            let amounts := or(calldataload(add(order, 0x80)), calldataload(add(order, 0xa0)))
            let counters := or(calldataload(add(order, 0xc0)), calldataload(add(order, 0xe0)))
            wellFormed := iszero(or(or(shr(160, addresses), shr(8, bytesOnly)), shr(64, or(amounts, counters))))
        }
    }

    function marketId(OrderRef order) internal pure returns (bytes32 value) {
        assembly ("memory-safe") {
            value := calldataload(order)
        }
    }

    function trader(OrderRef order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x20))
        }
    }

    function side(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x40))
        }
    }

    function outcome(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x60))
        }
    }

    function price(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x80))
        }
    }

    function size(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0xa0))
        }
    }

    function nonce(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0xc0))
        }
    }

    function expiration(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0xe0))
        }
    }

    function makerFeeRecipient(OrderRef order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x100))
        }
    }
}
