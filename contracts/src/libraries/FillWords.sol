// Reads fills from packed calldata: the two orders, the price and the size of each.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev buyIndex << 96 | sellIndex << 88 | mustNotMint << 87 | price << 64 | size.
type Fill is uint256;

using FillWords for Fill global;

/// @dev Like packed orders, packed fills (see IPresageSettlement.settleBatch) have no bits without a meaning: any 13 bytes are a fill.
library FillWords {
    uint256 internal constant PACKED_LENGTH = 13;
    /// @dev Legal prices have twenty bits; this is the top one of their three bytes.
    uint256 internal constant MUST_NOT_MINT = 1 << 23;
    uint256 private constant PRICE_MASK = MUST_NOT_MINT - 1;

    /// @dev The caller has checked that `fills` holds more than `index` whole fills.
    function fillAt(bytes calldata fills, uint256 index) internal pure returns (Fill fill) {
        assembly ("memory-safe") {
            fill := shr(152, calldataload(add(fills.offset, mul(index, PACKED_LENGTH))))
        }
    }

    function buyIndex(Fill fill) internal pure returns (uint256) {
        return Fill.unwrap(fill) >> 96;
    }

    function sellIndex(Fill fill) internal pure returns (uint256) {
        return uint8(Fill.unwrap(fill) >> 88);
    }

    function price(Fill fill) internal pure returns (uint256) {
        return (Fill.unwrap(fill) >> 64) & PRICE_MASK;
    }

    /// @notice MUST_NOT_MINT if the seller's order is reduce-only, else zero.
    function flags(Fill fill) internal pure returns (uint256) {
        return (Fill.unwrap(fill) >> 64) & MUST_NOT_MINT;
    }

    function size(Fill fill) internal pure returns (uint256) {
        return uint64(Fill.unwrap(fill));
    }
}
