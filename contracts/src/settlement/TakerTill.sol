// Lets the wallet of a taker pay, or be paid, once for all its fills that follow each other in a batch.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CostMath} from "../libraries/CostMath.sol";
import {FillMoney} from "../libraries/FeeMath.sol";
import {Fill, FillWords} from "../libraries/FillWords.sol";
import {OrderTable} from "../libraries/OrderTable.sol";
import {OrderRef} from "../libraries/OrderWords.sol";
import {SettledFillsLibrary} from "../libraries/SettledFills.sol";
import {TokenCalls} from "../libraries/TokenCalls.sol";
import {DepositLedger} from "./DepositLedger.sol";

/// @dev The till is kept in the memory of a batch: nothing is in it between two transactions. It is of one order at a time, and of one
/// kind: for the fills of a wallet with deposits, or for the fees of a wallet's fills with other wallets.
abstract contract TakerTill is DepositLedger {
    /// @dev A transfer to an empty balance of a token like USDC takes 45,000.
    uint256 private constant TRANSFER_GAS = 150_000;
    /// @dev The transfer, or else the trader's deposit, and adding up a hundred costs.
    uint256 internal constant TILL_GAS = TRANSFER_GAS + TRANSFER_GAS / 63 + 50_000;

    /// @dev In the note of a fee, which is the bits of FillsSettled, this one, and what is kept.
    uint256 private constant PAID_AHEAD = 1 << 64;

    /// @return the fill, which the till settles for one side if it can
    function _useTill(OrderTable memory table, Fill fill) internal returns (Fill) {
        uint256 key = fill.tillKey();
        if (key == 0 || _isAlone(table, fill, key) || !_openTill(table, key)) return fill;
        if (key < FillWords.SELLERS_TILL) {
            uint256 due = _moneyOf(table, fill, fill.cost()).buyerPays();
            if (table.tillAmount < due) _payAhead(table, fill);
            // A wallet that cannot pay for all of its fills pays for each as far as it can, and is blamed there.
            if (table.tillAmount < due) return fill;
        }
        return fill.settledByTill();
    }

    /// @param amounts of the fill, which has settled, as FillsSettled tells them
    function _noteInTill(OrderTable memory table, Fill fill, uint256 amounts) internal pure {
        (uint256 cost, uint256 minted) = (uint64(amounts >> 64), uint64(amounts));
        FillMoney money = _moneyOf(table, fill, cost);
        unchecked {
            if (table.tillKey < FillWords.SELLERS_TILL) table.tillAmount -= money.buyerPays();
            else if (money.sellerGets() > minted) table.tillAmount += money.sellerGets() - minted;
        }
    }

    // ---------------------------------------------------------------- fees

    /// @return moved what the two have to move
    function _chargeFee(OrderTable memory table, Fill fill, uint256 cost) internal returns (FillMoney moved) {
        FillMoney money = table.tokenFees.moneyOf(fill, cost);
        moved = _payFeeAhead(table, fill, money);
        uint256 ahead = moved.kept() == money.kept() ? 0 : PAID_AHEAD;
        table.feeNote = SettledFillsLibrary.feeBits(table.tokenFees, fill) | ahead | money.kept();
    }

    /// @return told what FillsSettled says of the fee
    function _noteFee(OrderTable memory table, bool isSettled) internal pure returns (uint256 told) {
        uint256 note = table.feeNote;
        table.feeNote = 0;
        if (!isSettled) return 0;
        unchecked {
            table.fees += uint64(note);
            if (note & PAID_AHEAD != 0) table.tillAmount -= uint64(note);
        }
        return note >> SettledFillsLibrary.FEES_SHIFT << SettledFillsLibrary.FEES_SHIFT;
    }

    /// @return what the two still have to move: without what is kept, if the taker's wallet could pay that ahead with the fees of fills
    /// that follow, so that the rest goes from one to the other in one transfer
    function _payFeeAhead(OrderTable memory table, Fill fill, FillMoney money) private returns (FillMoney) {
        uint256 key = fill.feeKey();
        if (key == 0 || money.kept() == 0 || _isAlone(table, fill, key) || !_openTill(table, key)) return money;
        if (table.tillAmount < money.kept()) _payAhead(table, fill);
        if (table.tillAmount < money.kept()) return money;
        return FillMoney.wrap(fill.sellerTakes() ? money.buyerPays() : money.sellerGets());
    }

    function _payTreasury(uint256 amount) internal {
        _payOnce(treasury, amount);
        emit FeesPaid(treasury, amount);
    }

    // ---------------------------------------------------------------- opening and closing

    /// @dev Gives back what fills that failed have left, or pays what a seller is owed.
    function _closeTill(OrderTable memory table) internal {
        uint256 amount = table.tillAmount;
        table.tillAmount = 0;
        _payOnce(table.tillWallet, amount);
    }

    /// @dev One fill alone is paid without the till, in the way that finds out who is to blame. A wallet that sells is paid by its till
    /// all the same, so that a payee whom the token refuses finds the money in their deposit.
    function _isAlone(OrderTable memory table, Fill fill, uint256 key) private pure returns (bool) {
        if (table.tillKey == key || (key & FillWords.SELLERS_TILL != 0 && key < FillWords.FEES_TILL)) return false;
        unchecked {
            return FillWords.keyAt(fill.place() + 1, key >= FillWords.FEES_TILL) != key;
        }
    }

    /// @return isOpen false, and the till is as it was, for an order that cannot be filled: nobody's wallet pays for what they did not sign
    function _openTill(OrderTable memory table, uint256 key) private returns (bool isOpen) {
        if (table.tillKey == key) return true;
        OrderRef order = table.orderAt(uint8(key));
        if (order.isMissing() || order.flaw() != 0 || !_findToken(table, order)) return false;
        if (table.tillAmount != 0) _closeTill(table);
        (table.tillKey, table.tillWallet, table.tillFees) = (key, order.trader(), table.tokenFees);
        return true;
    }

    /// @dev Who cannot be paid finds it in their deposit.
    function _payOnce(address account, uint256 amount) private {
        if (TokenCalls.tryTransfer(collateral, account, amount, TRANSFER_GAS)) return;
        _creditUnpaid(account, amount);
    }

    /// @dev For this fill and those of the same till that follow it; never more than the order can cost, rounding included, and its fees;
    /// of an order that pays fees only, the fees of what its shares can cost. One fill alone is paid without the till, in the way that
    /// finds out who is to blame.
    function _payAhead(OrderTable memory table, Fill first) private {
        OrderRef order = table.orderAt(uint8(table.tillKey));
        bool isForFees = table.tillKey >= FillWords.FEES_TILL;
        uint256 costs;
        uint256 total;
        uint256 count;
        unchecked {
            for (uint256 next = first.place(); FillWords.keyAt(next, isForFees) == table.tillKey; ++next) {
                Fill fill = FillWords.fillAt(FillWords.ofThisCall(), next);
                uint256 cost = fill.cost();
                FillMoney money = _moneyOf(table, fill, cost);
                costs += cost;
                total += isForFees ? money.kept() : money.buyerPays();
                ++count;
            }
            uint256 highest = isForFees ? CostMath.PRICE_SCALE : order.price();
            if (count == 1 || costs > CostMath.costOf(highest, order.size()) + count) return;
        }
        if (TokenCalls.tryCollect(collateral, table.tillWallet, total, TRANSFER_GAS)) table.tillAmount += total;
    }

    function _moneyOf(OrderTable memory table, Fill fill, uint256 cost) private pure returns (FillMoney) {
        return table.tillFees.areNone() ? FillMoney.wrap(cost) : table.tillFees.moneyOf(fill, cost);
    }
}
