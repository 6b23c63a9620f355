// Compares two prices that have different exponents.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

library PriceOrder {
    /// @dev 2^63 * 10^57 is the largest such product that fits into an int256.
    int256 private constant MAX_DISTANCE = 57;

    function isComparable(int32 expoA, int32 expoB) internal pure returns (bool) {
        int256 distance = int256(expoA) - expoB;
        return -MAX_DISTANCE <= distance && distance <= MAX_DISTANCE;
    }

    /// @notice Whether priceA * 10^expoA >= priceB * 10^expoB, exactly. The exponents must be comparable.
    function isAtLeast(int64 priceA, int32 expoA, int64 priceB, int32 expoB) internal pure returns (bool) {
        int256 distance = int256(expoA) - expoB;
        if (distance >= 0) return int256(priceA) * int256(10 ** uint256(distance)) >= priceB;
        return priceA >= int256(priceB) * int256(10 ** uint256(-distance));
    }
}
