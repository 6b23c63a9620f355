// The fee arithmetic of the settlement by itself, so that shared vectors can be held against it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeMath} from "../../src/libraries/FeeMath.sol";

contract FeeVectors {
    function feesOf(uint16[] calldata rates, uint16[] calldata shares, uint64[] calldata sizes, uint64[] calldata prices)
        external
        pure
        returns (uint256[] memory fees, uint256[] memory rebates)
    {
        (fees, rebates) = (new uint256[](rates.length), new uint256[](rates.length));
        for (uint256 i; i < rates.length; ++i) {
            fees[i] = FeeMath.takerFee(rates[i], sizes[i], prices[i]);
            rebates[i] = FeeMath.makerRebate(fees[i], shares[i]);
        }
    }
}
