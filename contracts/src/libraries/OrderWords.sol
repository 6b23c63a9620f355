// Orders unpacked from calldata into memory, once per batch: their digest, whether they are signed, and their fields.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "solady/src/utils/ECDSA.sol";

/// @dev Where an unpacked order begins in memory; zero is no order.
type OrderRef is uint256;

using OrderWords for OrderRef global;

/// @dev A packed order (see IPresageSettlement.settleBatch) has no spare bits: every 112 bytes are some order, and only those that
/// its trader signed pass. Unpacked it takes ten words, the ones that EIP-712 hashes. Once hashed, the first word (the typehash)
/// gives way to the digest, and the last (makerFeeRecipient, always zero) says whether the signature is good.
library OrderWords {
    bytes32 internal constant ORDER_TYPEHASH = keccak256(
        "Order(bytes32 marketId,address trader,uint8 side,uint8 outcome,uint64 price,uint64 size,uint64 nonce,uint64 expiration,address makerFeeRecipient)"
    );
    uint256 internal constant PACKED_LENGTH = 112;
    uint256 private constant S_MASK = (1 << 255) - 1;

    /// @dev `packed` is a place in calldata.
    function marketIndexAt(uint256 packed) internal pure returns (uint256 index) {
        assembly ("memory-safe") {
            index := byte(28, calldataload(packed))
        }
    }

    /// @notice The order packed at this place in calldata, hashed and with its signature checked.
    function unpack(uint256 packed, bytes32 market, bytes32 domainSeparator) internal view returns (OrderRef order) {
        order = _spread(packed, market);
        _seal(order, domainSeparator);
        address signer = _signerOf(order, packed);
        // Nobody's signature must not speak for the zero address.
        if (signer != address(0) && signer == order.trader()) _markSigned(order);
    }

    /// @dev The ten words of EIP-712, from a packed order.
    function _spread(uint256 packed, bytes32 market) private pure returns (OrderRef order) {
        bytes32 typehash = ORDER_TYPEHASH;
        assembly ("memory-safe") {
            order := mload(0x40)
            mstore(0x40, add(order, 0x140))
            let head := calldataload(packed)
            let tail := calldataload(add(packed, 0x20))
            mstore(order, typehash)
            mstore(add(order, 0x20), market)
            mstore(add(order, 0x40), shr(96, head))
            mstore(add(order, 0x60), and(shr(23, head), 1))
            mstore(add(order, 0x80), and(shr(22, head), 1))
            mstore(add(order, 0xa0), and(head, 0x3fffff))
            mstore(add(order, 0xc0), shr(192, tail))
            mstore(add(order, 0xe0), and(shr(32, head), 0xffffffffffffffff))
            mstore(add(order, 0x100), and(shr(128, tail), 0xffffffffffffffff))
            mstore(add(order, 0x120), 0)
        }
    }

    function _seal(OrderRef order, bytes32 domainSeparator) private pure {
        assembly ("memory-safe") {
            let structHash := keccak256(order, 0x140)
            let pointer := mload(0x40)
            mstore(pointer, hex"1901")
            mstore(add(pointer, 0x02), domainSeparator)
            mstore(add(pointer, 0x22), structHash)
            mstore(order, keccak256(pointer, 0x42))
        }
    }

    /// @dev Zero if nobody signed. Of the two signatures that every signer has for a message, only the one with the low s is good.
    function _signerOf(OrderRef order, uint256 packed) private view returns (address signer) {
        bytes32 r;
        bytes32 vs;
        assembly ("memory-safe") {
            r := calldataload(add(packed, 0x30))
            vs := calldataload(add(packed, 0x50))
        }
        if (uint256(vs) & S_MASK > ECDSA.N / 2) return address(0);
        return ECDSA.tryRecover(order.digest(), r, vs);
    }

    function _markSigned(OrderRef order) private pure {
        assembly ("memory-safe") {
            mstore(add(order, 0x120), 1)
        }
    }

    // ---------------------------------------------------------------- fields of an unpacked order

    function isMissing(OrderRef order) internal pure returns (bool) {
        return OrderRef.unwrap(order) == 0;
    }

    function digest(OrderRef order) internal pure returns (bytes32 value) {
        assembly ("memory-safe") {
            value := mload(order)
        }
    }

    function digestOrZero(OrderRef order) internal pure returns (bytes32) {
        return order.isMissing() ? bytes32(0) : order.digest();
    }

    function marketId(OrderRef order) internal pure returns (bytes32 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0x20))
        }
    }

    function trader(OrderRef order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0x40))
        }
    }

    function side(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0x60))
        }
    }

    function outcome(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0x80))
        }
    }

    function price(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0xa0))
        }
    }

    function size(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0xc0))
        }
    }

    function nonce(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0xe0))
        }
    }

    function expiration(OrderRef order) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0x100))
        }
    }

    function isSigned(OrderRef order) internal pure returns (bool value) {
        assembly ("memory-safe") {
            value := mload(add(order, 0x120))
        }
    }
}
