// Keeps the bonds that came back, and what they won, for whoever paid them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IResolution} from "../interfaces/IResolution.sol";
import {MarketTerms} from "./MarketTerms.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketBonds is IResolution, MarketTerms {
    mapping(address payer => uint256) public bondsOf;
    /// @dev The sum of bondsOf.
    uint256 private _kept;

    function returnBond(address payer) external {
        _sendBond(payer, payer);
    }

    function withdrawBond(address to) external {
        _sendBond(msg.sender, to);
    }

    /// @dev The oracle pays before it calls back, so what exceeds the kept bonds has just come. An oracle that could not pay a
    /// bond owes it without a fee and pays it later: it is credited now, since nothing tells when it comes.
    /// @param pot what a true assertion returns at most: its bond, and the disputer's
    function _keepBond(address payer, uint256 amount, uint256 pot, bool isDue) internal {
        uint256 held = SafeTransferLib.balanceOf(collateral, address(this));
        uint256 came = held > _kept ? held - _kept : 0;
        if (isDue && came < amount) came = pot;
        if (came == 0) return;
        bondsOf[payer] += came;
        _kept += came;
        // A payer whom the token refuses must not block the oracle.
        try this.returnBond(payer) {} catch {}
    }

    function _sendBond(address payer, address to) private {
        uint256 amount = bondsOf[payer];
        if (amount == 0) revert NoBond(payer);
        bondsOf[payer] = 0;
        _kept -= amount;
        SafeTransferLib.safeTransfer(collateral, to, amount);
    }
}
