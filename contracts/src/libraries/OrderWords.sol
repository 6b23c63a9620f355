// Unpacks orders from calldata into memory, once per batch: their fields, their digest and whether the signature is valid.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FillCodes} from "./FillCodes.sol";
import {HaltedTraders} from "./HaltedTraders.sol";
import {WalletSignatures} from "./WalletSignatures.sol";
import {ECDSA} from "solady/src/utils/ECDSA.sol";

/// @dev Pointer to an unpacked order in memory; zero means no order.
type OrderRef is uint256;

using OrderWords for OrderRef global;

/// @notice What every order of a batch is checked against. The first three words, from byte 30 on, are what EIP-712 hashes.
/// @param prefix 0x1901
/// @param structHash hash of the order that is being unpacked
/// @param oldestExpiration an order that expired before this second is past its grace
/// @param haltFilter a bit for every trader who may have halted, see HaltedTraders
/// @param ordersStart where the packed orders begin in calldata; signatures of contract wallets follow them
struct OrderChecks {
    uint256 prefix;
    bytes32 domainSeparator;
    bytes32 structHash;
    uint256 oldestExpiration;
    uint256 haltFilter;
    uint256 ordersStart;
    uint256 ordersLength;
}

/// @dev A packed order (see IPresageSettlement.settleBatch) has no spare bits: any 112 bytes are an order, and only one that
/// its trader signed passes. EIP-712 hashes ten words; eight of them are kept. After hashing, the first word (the typehash) is
/// replaced
/// by the digest, and the code of what is wrong with the order is stored above the side.
library OrderWords {
    bytes32 internal constant ORDER_TYPEHASH = keccak256(
        "Order(bytes32 marketId,address trader,uint8 side,uint8 outcome,uint64 price,uint64 size,uint64 nonce,uint64 expiration,address makerFeeRecipient)"
    );
    uint256 internal constant PACKED_LENGTH = 112;
    uint256 private constant S_MASK = (1 << 255) - 1;

    /// @dev `packed` is an offset in calldata.
    function marketIndexAt(uint256 packed) internal pure returns (uint256 index) {
        assembly ("memory-safe") {
            index := byte(28, calldataload(packed))
        }
    }

    /// @notice Unpacks the order at this offset in calldata, hashes it and checks signature, expiration and halt.
    function unpack(uint256 packed, bytes32 market, OrderChecks memory checks) internal view returns (OrderRef order) {
        order = _spread(packed, market);
        _seal(order, checks);
        if (!_isSignedByKey(order, packed)) {
            if (!_isSignedByWallet(order, packed, checks)) {
                _setFlaw(order, FillCodes.BUYER_SIGNATURE);
                return order;
            }
        }
        uint256 doubts;
        assembly ("memory-safe") {
            let expiration := and(shr(128, calldataload(add(packed, 0x20))), 0xffffffffffffffff)
            // One jump for both checks; the shift uses the low six bits of the address, as HaltedTraders.bitOf does.
            doubts := and(shr(and(mload(add(order, 0x40)), 63), mload(add(checks, 0x80))), 1)
            doubts := or(doubts, shl(1, lt(expiration, mload(add(checks, 0x60)))))
        }
        if (doubts != 0) _resolveDoubts(order, doubts);
    }

    /// @param doubts 2 if the order is past its grace, 1 if its trader may have halted
    function _resolveDoubts(OrderRef order, uint256 doubts) private view {
        if (doubts & 2 != 0) _setFlaw(order, FillCodes.BUYER_EXPIRED);
        else if (HaltedTraders.isHalted(order.trader())) _setFlaw(order, FillCodes.BUYER_HALTED);
    }

    /// @dev Writes the ten words of EIP-712 from a packed order. The last two may be overwritten later: only their hash is needed.
    function _spread(uint256 packed, bytes32 market) private pure returns (OrderRef order) {
        bytes32 typehash = ORDER_TYPEHASH;
        assembly ("memory-safe") {
            order := mload(0x40)
            mstore(0x40, add(order, 0x100))
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

    function _seal(OrderRef order, OrderChecks memory checks) private pure {
        assembly ("memory-safe") {
            mstore(add(checks, 0x40), keccak256(order, 0x140))
            mstore(order, keccak256(add(checks, 0x1e), 0x42))
        }
    }

    /// @dev Of the two valid signatures of a message only the one with the low s is accepted. The precompile returns
    /// nothing where there is no signer, so an invalid signature does not count as one by the zero address. An account that has
    /// delegated its code signs with its key as before.
    function _isSignedByKey(OrderRef order, uint256 packed) private view returns (bool signed) {
        uint256 limit = ECDSA.N / 2;
        uint256 mask = S_MASK;
        assembly ("memory-safe") {
            let vs := calldataload(add(packed, 0x50))
            let s := and(vs, mask)
            let pointer := add(order, 0x100)
            mstore(pointer, mload(order))
            mstore(add(pointer, 0x20), add(shr(255, vs), 27))
            mstore(add(pointer, 0x40), calldataload(add(packed, 0x30)))
            mstore(add(pointer, 0x60), s)
            pop(staticcall(gas(), 1, pointer, 0x80, 0x00, 0x20))
            signed := and(eq(mload(0x00), mload(add(order, 0x40))), gt(returndatasize(), shl(8, gt(s, limit))))
        }
    }

    /// @dev Instead of (r, vs), the order of a contract wallet has the position of its signature: offset << 128 | length, counted
    /// from the start
    /// of the packed orders.
    function _isSignedByWallet(OrderRef order, uint256 packed, OrderChecks memory checks) private view returns (bool) {
        uint256 place;
        assembly ("memory-safe") {
            place := calldataload(add(packed, 0x30))
        }
        uint256 offset = place >> 128;
        uint256 length = uint128(place);
        unchecked {
            // Two numbers of 128 bits: their sum cannot overflow.
            if (offset + length > checks.ordersLength) return false;
            return WalletSignatures.isValidAt(order.trader(), order.digest(), checks.ordersStart + offset, length);
        }
    }

    function _setFlaw(OrderRef order, uint256 code) private pure {
        assembly ("memory-safe") {
            let place := add(order, 0x60)
            mstore(place, or(mload(place), shl(8, code)))
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

    /// @dev Only for an order without a flaw.
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

    /// @notice What is wrong with the order itself, in the buyer's codes; zero if nothing is.
    function flaw(OrderRef order) internal pure returns (uint256 code) {
        assembly ("memory-safe") {
            code := shr(8, mload(add(order, 0x60)))
        }
    }
}
