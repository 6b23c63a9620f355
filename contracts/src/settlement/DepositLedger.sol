// Keeps stablecoin that traders have deposited here, so that their fills cost no transfer of the token.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedOperations} from "../libraries/SignedOperations.sol";
import {MarketRegister} from "./MarketRegister.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

/// @dev This contract holds at least the sum of all deposits between any two calls of a token: it is paid before it credits, and debits
/// before it pays. Neither a pause nor the operator stands in the way of a withdrawal.
abstract contract DepositLedger is MarketRegister, SignedOperations {
    bytes32 private constant DEPOSIT_TYPEHASH =
        keccak256("Deposit(address trader,uint256 amount,uint256 nonce,uint256 deadline)");
    bytes32 private constant WITHDRAW_TYPEHASH =
        keccak256("WithdrawDeposit(address trader,uint256 amount,address to,uint256 nonce,uint256 deadline)");
    /// @dev In the word of the balance, so that a payment into the ledger reads and writes one slot, which is never empty.
    uint256 private constant OPTED_IN = 1 << 255;
    uint256 private constant BALANCE_MASK = OPTED_IN - 1;
    /// @dev Fills add less than 2^64 each, so no number of them carries a balance into OPTED_IN.
    uint256 private constant MAX_DEPOSITED = type(uint128).max;

    mapping(address trader => uint256 balanceAndOptIn) private _ledger;

    // ---------------------------------------------------------------- paying in

    function depositCollateral(uint256 amount) external {
        _deposit(msg.sender, msg.sender, amount, OPTED_IN);
    }

    /// @dev Opts nobody in: a stranger must not decide where a trader is paid.
    function depositTo(address trader, uint256 amount) external {
        _deposit(msg.sender, trader, amount, 0);
    }

    function depositBySig(address trader, uint256 amount, uint256 deadline, bytes calldata signature) external {
        bytes32 structHash = keccak256(abi.encode(DEPOSIT_TYPEHASH, trader, amount, nonces[trader]++, deadline));
        _requireSigned(trader, structHash, deadline, signature);
        _deposit(trader, trader, amount, OPTED_IN);
    }

    function _deposit(address payer, address trader, uint256 amount, uint256 optIn) private {
        SafeTransferLib.safeTransferFrom(collateral, payer, address(this), amount);
        uint256 word = _ledger[trader];
        uint256 balance = (word & BALANCE_MASK) + amount;
        if (balance > MAX_DEPOSITED) revert DepositTooLarge(amount);
        _ledger[trader] = balance | (word & OPTED_IN) | optIn;
        emit Deposited(trader, payer, amount);
    }

    // ---------------------------------------------------------------- taking out

    function withdrawDeposit(uint256 amount, address to) external {
        _withdraw(msg.sender, amount, to);
    }

    function withdrawDepositBySig(
        address trader,
        uint256 amount,
        address to,
        uint256 deadline,
        bytes calldata signature
    ) external {
        bytes32 structHash = keccak256(abi.encode(WITHDRAW_TYPEHASH, trader, amount, to, nonces[trader]++, deadline));
        _requireSigned(trader, structHash, deadline, signature);
        _withdraw(trader, amount, to);
    }

    /// @dev Who takes out everything opts out, and is paid into the wallet again.
    function _withdraw(address trader, uint256 amount, address to) private {
        uint256 word = _ledger[trader];
        uint256 balance = word & BALANCE_MASK;
        if (amount == type(uint256).max) amount = balance;
        if (amount > balance) revert DepositTooLow(balance);
        unchecked {
            _ledger[trader] = amount == balance ? 0 : word - amount;
        }
        SafeTransferLib.safeTransfer(collateral, to, amount);
        emit Withdrawn(trader, to, amount);
    }

    // ---------------------------------------------------------------- fills

    function ledgerOf(address trader) external view returns (uint256 balance, bool hasOptedIn) {
        return (_depositedBy(trader), _ledger[trader] & OPTED_IN != 0);
    }

    function _depositedBy(address trader) internal view returns (uint256) {
        return _ledger[trader] & BALANCE_MASK;
    }

    /// @return done false, and nothing has changed, if the deposit does not cover the amount
    function _debit(address trader, uint256 amount) internal returns (bool done) {
        uint256 word = _ledger[trader];
        if (word & BALANCE_MASK < amount) return false;
        unchecked {
            _ledger[trader] = word - amount;
        }
        return true;
    }

    /// @dev Also for a trader who has not opted in, and whom the token did not let this contract pay.
    function _creditUnpaid(address trader, uint256 amount) internal {
        unchecked {
            _ledger[trader] += amount;
        }
        emit Deposited(trader, address(this), amount);
    }

    /// @return done false, and nothing has changed, if the trader has not opted in
    function _credit(address trader, uint256 amount) internal returns (bool done) {
        uint256 word = _ledger[trader];
        if (word & OPTED_IN == 0) return false;
        unchecked {
            _ledger[trader] = word + amount;
        }
        return true;
    }
}
