// Finds out why a transfer of the stablecoin failed: no money, no allowance, a party that the token blocks, or the token itself.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FillCodes} from "./FillCodes.sol";
import {IPermitToken} from "./BondDrawing.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @dev Used in a call that reverts, so its test transfers have no effect.
library TransferBlame {
    uint8 private constant PARTY = 0xf0;

    /// @param code the code to return if `from` lacks the balance or the allowance
    function codeOf(address token, address from, address to, uint256 amount, uint8 code) internal returns (uint8) {
        if (_read(token, abi.encodeCall(IPermitToken.balanceOf, (from))) < amount) return code;
        if (_read(token, abi.encodeCall(IPermitToken.allowance, (from, address(this)))) < amount) return code;
        // A paused token refuses even a transfer from this contract to itself. One that blocks an account refuses to send it zero.
        if (!_canReceive(token, address(this))) return FillCodes.TOKEN_FAULT;
        if (!_canReceive(token, from)) return code & PARTY | (FillCodes.BUYER_BLOCKED & ~PARTY);
        if (!_canReceive(token, to)) return FillCodes.SELLER_BLOCKED;
        return FillCodes.TOKEN_FAULT;
    }

    /// @notice Why this contract, which has the money, could not pay a seller.
    function codeOfPayee(address token, address seller) internal returns (uint8) {
        if (!_canReceive(token, address(this)) || _canReceive(token, seller)) return FillCodes.TOKEN_FAULT;
        return FillCodes.SELLER_BLOCKED;
    }

    function _canReceive(address token, address account) private returns (bool) {
        return TokenCalls.tryTransfer(token, account, 0, gasleft());
    }

    /// @dev A token that does not answer is not a party's fault: the maximum, so that nobody's balance counts as too low.
    function _read(address token, bytes memory question) private view returns (uint256 answer) {
        bool answered;
        assembly ("memory-safe") {
            answered := staticcall(gas(), token, add(question, 0x20), mload(question), 0x00, 0x20)
            answered := and(answered, gt(returndatasize(), 0x1f))
            answer := mload(0x00)
        }
        if (!answered) return type(uint256).max;
    }
}
