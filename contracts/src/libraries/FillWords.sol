// Reads fills from packed calldata: the two orders, the price and the size of each.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CostMath} from "./CostMath.sol";

/// @dev place << 112 | byTill << 104 | buyIndex << 96 | sellIndex << 88 | mustNotMint << 87 | buyerLedger << 86 | sellerLedger << 85 | sellerTakes << 84
/// | price << 64 | size.
type Fill is uint256;

using FillWords for Fill global;

/// @dev Like packed orders, packed fills (see IPresageSettlement.settleBatch) have no bits without a meaning: any 13 bytes are a fill.
library FillWords {
    uint256 internal constant PACKED_LENGTH = 13;
    /// @dev Legal prices have twenty bits; these are the others of their three bytes.
    uint256 internal constant MUST_NOT_MINT = 1 << 23;
    uint256 internal constant BUYER_LEDGER = 1 << 22;
    uint256 internal constant SELLER_LEDGER = 1 << 21;
    /// @dev The seller's order came later and pays the fee of the market; without it the buyer's did.
    uint256 private constant SELLER_TAKES = 1 << 20;
    uint256 internal constant BOTH_LEDGERS = BUYER_LEDGER | SELLER_LEDGER;
    /// @dev No operator can set it: it is above the bytes of a packed fill. Of the two sides, the one without a bit of the ledger neither
    /// pays nor is paid in this fill, but by the till.
    uint256 internal constant BY_TILL = 1 << 40;
    uint256 private constant FLAGS = BY_TILL | MUST_NOT_MINT | BOTH_LEDGERS;
    uint256 private constant PRICE_MASK = SELLER_TAKES - 1;

    /// @dev Above the index of any order, so that the two kinds of till stay apart.
    uint256 private constant BUYERS_TILL = 1 << 8;
    uint256 internal constant SELLERS_TILL = 1 << 9;
    uint256 internal constant FEES_TILL = 1 << 10;

    /// @dev The caller has checked that `fills` holds more than `index` whole fills.
    function fillAt(bytes calldata fills, uint256 index) internal pure returns (Fill fill) {
        assembly ("memory-safe") {
            fill := or(shl(112, index), shr(152, calldataload(add(fills.offset, mul(index, PACKED_LENGTH)))))
        }
    }

    /// @notice The fills of the settleBatch that is running, whose third argument they are.
    function ofThisCall() internal pure returns (bytes calldata fills) {
        assembly ("memory-safe") {
            let start := add(0x04, calldataload(0x44))
            fills.offset := add(start, 0x20)
            fills.length := calldataload(start)
        }
    }

    /// @notice The key of the fill at this place of the settleBatch that is running; zero behind the last one.
    function keyAt(uint256 index, bool isForFees) internal pure returns (uint256) {
        bytes calldata fills = ofThisCall();
        if (index * PACKED_LENGTH >= fills.length) return 0;
        Fill fill = fillAt(fills, index);
        return isForFees ? feeKey(fill) : tillKey(fill);
    }

    /// @notice Its index in the batch.
    function place(Fill fill) internal pure returns (uint256) {
        return Fill.unwrap(fill) >> 112;
    }

    /// @notice The same fill with BY_TILL among its flags.
    function settledByTill(Fill fill) internal pure returns (Fill) {
        return Fill.wrap(Fill.unwrap(fill) | (BY_TILL << 64));
    }

    function buyIndex(Fill fill) internal pure returns (uint256) {
        return uint8(Fill.unwrap(fill) >> 96);
    }

    function sellIndex(Fill fill) internal pure returns (uint256) {
        return uint8(Fill.unwrap(fill) >> 88);
    }

    function price(Fill fill) internal pure returns (uint256) {
        return (Fill.unwrap(fill) >> 64) & PRICE_MASK;
    }

    function cost(Fill fill) internal pure returns (uint256) {
        return CostMath.costOf(price(fill), size(fill));
    }

    /// @notice price << 64 | size.
    function priceAndSize(Fill fill) internal pure returns (uint256) {
        return Fill.unwrap(fill) & (PRICE_MASK << 64 | type(uint64).max);
    }

    function isByTill(Fill fill) internal pure returns (bool) {
        return Fill.unwrap(fill) & (BY_TILL << 64) != 0;
    }

    function sellerTakes(Fill fill) internal pure returns (bool) {
        return Fill.unwrap(fill) & (SELLER_TAKES << 64) != 0;
    }

    function namesLedger(Fill fill) internal pure returns (bool) {
        return Fill.unwrap(fill) & (BOTH_LEDGERS << 64) != 0;
    }

    /// @notice MUST_NOT_MINT if the seller's order is reduce-only, and the ledgers that the money comes from and goes to.
    function flags(Fill fill) internal pure returns (uint256) {
        return (Fill.unwrap(fill) >> 64) & FLAGS;
    }

    /// @notice Names the order whose wallet trades with a deposit, if one of the two does; else zero.
    function tillKey(Fill fill) internal pure returns (uint256) {
        uint256 ledgers = flags(fill) & BOTH_LEDGERS;
        if (ledgers == SELLER_LEDGER) return BUYERS_TILL | buyIndex(fill);
        return ledgers == BUYER_LEDGER ? SELLERS_TILL | sellIndex(fill) : 0;
    }

    /// @notice Names the order whose wallet pays a fee, if neither side trades with a deposit; else zero.
    function feeKey(Fill fill) internal pure returns (uint256) {
        if (namesLedger(fill)) return 0;
        return FEES_TILL | (sellerTakes(fill) ? SELLERS_TILL | sellIndex(fill) : BUYERS_TILL | buyIndex(fill));
    }

    function size(Fill fill) internal pure returns (uint256) {
        return uint64(Fill.unwrap(fill));
    }
}
