// How long a matched trade may still settle after its order or its market has ended.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";

abstract contract SettlementGrace is IPresageSettlement {
    /// @dev With a longer grace an expired order could still settle for too long.
    uint256 private constant MAX_GRACE = 1 hours;

    uint256 public immutable SETTLEMENT_GRACE;

    constructor(uint256 settlementGrace) {
        if (settlementGrace > MAX_GRACE) revert GraceTooLong(settlementGrace);
        SETTLEMENT_GRACE = settlementGrace;
    }
}
