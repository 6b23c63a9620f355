// Takes a bond from its payer, by their permit or by an existing allowance.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BondPayment} from "../interfaces/ISignedProposals.sol";
import {IResolution} from "../interfaces/IResolution.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

interface IPermitToken {
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
    function allowance(address owner, address spender) external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
}

library BondDrawing {
    function draw(address token, BondPayment calldata payment, uint256 amount) internal {
        address payer = payment.payer;
        if (payment.permitDeadline != 0) {
            // Anyone may submit a permit they saw: a used one has left its allowance, and a bad one fails below.
            try IPermitToken(token).permit(
                payer, address(this), amount, payment.permitDeadline, payment.v, payment.r, payment.s
            ) {} catch {}
        }
        uint256 available = _availableFrom(IPermitToken(token), payer);
        if (available < amount) revert IResolution.BondUnavailable(payer, available, amount);
        SafeTransferLib.safeTransferFrom(token, payer, address(this), amount);
    }

    function _availableFrom(IPermitToken token, address payer) private view returns (uint256) {
        uint256 allowed = token.allowance(payer, address(this));
        uint256 held = token.balanceOf(payer);
        return allowed < held ? allowed : held;
    }
}
