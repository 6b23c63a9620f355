// Computes what a fill costs, rounded up to a whole unit.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

library CostMath {
    /// @dev Six decimals: a price of 1_000_000 would be one whole unit of stablecoin for one share.
    uint256 internal constant PRICE_SCALE = 1_000_000;

    /// @notice ceil(price * size / 1e6).
    /// @dev Both arguments fit in 64 bits, so the product cannot overflow. The result never exceeds `size`
    /// while `price` is below one, and is at least one while both are positive.
    function costOf(uint256 price, uint256 size) internal pure returns (uint256) {
        unchecked {
            return (price * size + PRICE_SCALE - 1) / PRICE_SCALE;
        }
    }
}
