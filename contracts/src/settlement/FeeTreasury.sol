// Who gets the fees of takers.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementRoles} from "./SettlementRoles.sol";

abstract contract FeeTreasury is SettlementRoles {
    /// @dev Zero until the owner names one; never zero again, so that a market with fees always has somebody to pay.
    address public treasury;

    function setTreasury(address account) external onlyOwner {
        if (account == address(0) || account == address(this)) revert UnfitTreasury();
        treasury = account;
        emit TreasuryChanged(account);
    }
}
