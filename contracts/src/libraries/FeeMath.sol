// What the taker of a fill pays beyond its cost, and how much of it goes back to the maker.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CostMath} from "./CostMath.sol";
import {Fill} from "./FillWords.sol";

/// @dev A market's fees in one number, zero if it has none: makerShareBps << 16 | feeRateBps.
type FeeTerms is uint256;

/// @dev What the two parties of a fill move: kept << 128 | buyerPays. The seller gets the difference; what is kept is the treasury's.
type FillMoney is uint256;

using FeeMath for FeeTerms global;
using FeeMath for FillMoney global;

library FeeMath {
    /// @dev 7 %: of the most that a fee can be, a quarter of a share, it takes less than two hundredths of the share.
    uint256 internal constant MAX_RATE_BPS = 700;
    uint256 internal constant BASIS_POINTS = 10_000;
    /// @dev Basis points, and two prices.
    uint256 private constant FEE_SCALE = BASIS_POINTS * CostMath.PRICE_SCALE * CostMath.PRICE_SCALE;

    /// @notice ceil(rate * size * price * (1e6 - price) / 1e16).
    /// @dev The size fits in 64 bits, the price lies below one and the rate is at most MAX_RATE_BPS: no product overflows. The fee never
    /// exceeds the cost of the fill, so that a seller always has it.
    function takerFee(uint256 rate, uint256 size, uint256 price) internal pure returns (uint256) {
        unchecked {
            return (rate * size * price * (CostMath.PRICE_SCALE - price) + FEE_SCALE - 1) / FEE_SCALE;
        }
    }

    /// @notice floor(fee * share / 10000).
    function makerRebate(uint256 fee, uint256 share) internal pure returns (uint256) {
        unchecked {
            return fee * share / BASIS_POINTS;
        }
    }

    /// @notice What the fill moves in a market with these fees. Without any it is the cost alone, which callers need not ask here.
    /// @param cost of the fill
    function moneyOf(FeeTerms terms, Fill fill, uint256 cost) internal pure returns (FillMoney) {
        uint256 fee = takerFee(rateBps(terms), fill.size(), fill.price());
        uint256 rebate = makerRebate(fee, shareBps(terms));
        unchecked {
            return FillMoney.wrap((fee - rebate) << 128 | (fill.sellerTakes() ? cost - rebate : cost + fee));
        }
    }

    /// @dev The caller has checked both against their bounds.
    function toTerms(uint256 feeRateBps, uint256 makerShareBps) internal pure returns (FeeTerms) {
        return FeeTerms.wrap(makerShareBps << 16 | feeRateBps);
    }

    function areNone(FeeTerms terms) internal pure returns (bool) {
        return FeeTerms.unwrap(terms) == 0;
    }

    function rateBps(FeeTerms terms) internal pure returns (uint256) {
        return uint16(FeeTerms.unwrap(terms));
    }

    function shareBps(FeeTerms terms) internal pure returns (uint256) {
        return FeeTerms.unwrap(terms) >> 16;
    }

    function buyerPays(FillMoney money) internal pure returns (uint256) {
        return uint128(FillMoney.unwrap(money));
    }

    function kept(FillMoney money) internal pure returns (uint256) {
        return FillMoney.unwrap(money) >> 128;
    }

    function sellerGets(FillMoney money) internal pure returns (uint256) {
        unchecked {
            return money.buyerPays() - money.kept();
        }
    }
}
