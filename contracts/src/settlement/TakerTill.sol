// Lets the wallet of a taker pay, or be paid, once for all its fills with deposits that follow each other in a batch.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CostMath} from "../libraries/CostMath.sol";
import {Fill, FillWords} from "../libraries/FillWords.sol";
import {OrderTable} from "../libraries/OrderTable.sol";
import {OrderRef} from "../libraries/OrderWords.sol";
import {TokenCalls} from "../libraries/TokenCalls.sol";
import {DepositLedger} from "./DepositLedger.sol";

/// @dev The till is kept in the memory of a batch: nothing is in it between two transactions.
abstract contract TakerTill is DepositLedger {
    /// @dev A transfer to an empty balance of a token like USDC takes 45,000.
    uint256 private constant TRANSFER_GAS = 150_000;
    /// @dev The transfer, or else the trader's deposit, and adding up a hundred costs.
    uint256 internal constant TILL_GAS = TRANSFER_GAS + TRANSFER_GAS / 63 + 50_000;

    /// @return fill the fill at this index, which the till settles for one side if it can
    function _useTill(OrderTable memory table, bytes calldata fills, uint256 index) internal returns (Fill fill) {
        fill = FillWords.fillAt(fills, index);
        uint256 key = fill.tillKey();
        if (key == 0) return fill;
        bool isBuyers = key < FillWords.SELLERS_TILL;
        OrderRef order = table.orderAt(isBuyers ? fill.buyIndex() : fill.sellIndex());
        // Nobody's wallet pays for an order that they did not sign.
        if (order.isMissing() || order.flaw() != 0) return fill;
        if (table.tillKey != key) {
            if (table.tillAmount != 0) _closeTill(table);
            (table.tillKey, table.tillWallet) = (key, order.trader());
        }
        if (isBuyers) {
            uint256 cost = CostMath.costOf(fill.price(), fill.size());
            if (table.tillAmount < cost) _payAhead(table, fills, index, order);
            // A wallet that cannot pay for all of its fills pays for each as far as it can, and is blamed there.
            if (table.tillAmount < cost) return fill;
        }
        return fill.settledByTill();
    }

    /// @param minted of the fill, which has settled
    function _noteInTill(OrderTable memory table, Fill fill, uint256 minted) internal pure {
        uint256 cost = CostMath.costOf(fill.price(), fill.size());
        unchecked {
            if (table.tillKey < FillWords.SELLERS_TILL) table.tillAmount -= cost;
            else if (cost > minted) table.tillAmount += cost - minted;
        }
    }

    /// @dev Gives back what fills that failed have left, or pays what a seller is owed. Who cannot be paid finds it in their deposit.
    function _closeTill(OrderTable memory table) internal {
        uint256 amount = table.tillAmount;
        table.tillAmount = 0;
        if (TokenCalls.tryTransfer(collateral, table.tillWallet, amount, TRANSFER_GAS)) return;
        _creditUnpaid(table.tillWallet, amount);
    }

    /// @dev For this fill and those of the same till that follow it; never more than the buyer's order can cost, rounding included.
    /// One fill alone is paid without the till, in the way that finds out who is to blame.
    function _payAhead(OrderTable memory table, bytes calldata fills, uint256 index, OrderRef buy) private {
        uint256 end = fills.length / FillWords.PACKED_LENGTH;
        uint256 total;
        uint256 next = index;
        for (; next < end; ++next) {
            Fill fill = FillWords.fillAt(fills, next);
            if (fill.tillKey() != table.tillKey) break;
            total += CostMath.costOf(fill.price(), fill.size());
        }
        uint256 count = next - index;
        if (count == 1 || total > CostMath.costOf(buy.price(), buy.size()) + count) return;
        if (TokenCalls.tryCollect(collateral, table.tillWallet, total, TRANSFER_GAS)) table.tillAmount += total;
    }
}
