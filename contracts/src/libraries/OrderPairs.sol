// Decides whether two orders of a batch can be filled with each other at a price.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CostMath} from "./CostMath.sol";
import {FillCodes} from "./FillCodes.sol";
import {Fill} from "./FillWords.sol";
import {OrderTable} from "./OrderTable.sol";
import {OrderRef} from "./OrderWords.sol";

library OrderPairs {
    /// @notice Whether both orders are in the batch and without a flaw, are one BUY and one SELL of the same outcome of the same market,
    /// and the fill has a size and a legal price within both limits.
    /// @dev The word of an order's side is its code of BUY or SELL alone only if the order has no flaw. Everything is combined with OR:
    /// one jump, where a chain of conditions would take eleven. A missing order reads as zeros, and counts by its own bit.
    function isFit(OrderRef buy, OrderRef sell, Fill fill) internal pure returns (bool fit) {
        uint256 differences = _differences(buy, sell);
        (uint256 price, uint256 size) = (fill.price(), fill.size());
        (uint256 highest, uint256 lowest) = (buy.price(), sell.price());
        uint256 scale = CostMath.PRICE_SCALE;
        assembly ("memory-safe") {
            let flaws := or(or(iszero(buy), iszero(sell)), iszero(size))
            flaws := or(flaws, or(gt(price, highest), lt(price, lowest)))
            flaws := or(flaws, or(iszero(price), iszero(lt(price, scale))))
            fit := iszero(or(differences, flaws))
        }
    }

    /// @notice The first reason against a pair that is not fit.
    function whyUnfit(OrderTable memory table, OrderRef buy, OrderRef sell, Fill fill) internal pure returns (uint256) {
        if (buy.isMissing()) return _codeOfMissing(table, fill.buyIndex());
        if (buy.flaw() != FillCodes.SETTLED) return buy.flaw();
        if (sell.isMissing()) return _codeOfMissing(table, fill.sellIndex());
        if (sell.flaw() != FillCodes.SETTLED) return sell.flaw() + FillCodes.SELLER_OFFSET;
        return _differences(buy, sell) != 0 || fill.size() == 0 ? FillCodes.MISMATCH : FillCodes.PRICE_OUTSIDE_LIMITS;
    }

    /// @return zero for one BUY and one SELL of the same outcome of the same market, both without a flaw
    function _differences(OrderRef buy, OrderRef sell) private pure returns (uint256) {
        return buy.side() | (sell.side() ^ 1) | (buy.outcome() ^ sell.outcome())
            | uint256(buy.marketId() ^ sell.marketId());
    }

    function _codeOfMissing(OrderTable memory table, uint256 index) private pure returns (uint256) {
        return index < table.unpacked.length ? FillCodes.MARKET_UNKNOWN : FillCodes.UNKNOWN_ORDER;
    }
}
