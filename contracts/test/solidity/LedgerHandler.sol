// What the invariants' runner may do with deposits: pay in, take out, and settle fills that name them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {Mood} from "./HostileStablecoin.sol";
import {TradingHandler} from "./TradingHandler.sol";
import {vm} from "./Vm.sol";

abstract contract LedgerHandler is TradingHandler {
    uint256 public ledgerFills;
    /// @dev Of every trader before a batch, and what the batch says it did to it.
    mapping(address trader => int256) private _money;
    mapping(address trader => int256) private _deposit;

    function deposit(uint256 key, uint64 amount, bool forAnother) external {
        address trader = addressOf(1 + key % TRADERS);
        address owner = forAnother ? addressOf(1 + key / TRADERS % TRADERS) : trader;
        uint256 legal = amount % (usd.balanceOf(trader) / 2 + 1);
        snapshot();
        vm.startPrank(trader);
        usd.approve(address(settlement), type(uint256).max);
        if (forAnother) settlement.depositTo(owner, legal);
        else settlement.depositCollateral(legal);
        vm.stopPrank();
        depositedOf[owner] += legal;
        requireDeposits();
        requireSpared(bitOf(1 + key % TRADERS));
    }

    /// @dev Of more than there is, nothing is paid.
    function withdraw(uint256 key, uint64 amount, uint256 to) external {
        address trader = addressOf(1 + key % TRADERS);
        address receiver = addressOf(1 + to % TRADERS);
        uint256 earlier = usd.balanceOf(receiver);
        uint256 asked = to % 8 == 0 ? type(uint256).max : amount % (2 * depositedOf[trader] + 1);
        uint256 paid = to % 8 == 0 ? depositedOf[trader] : asked;
        vm.prank(trader);
        (bool done,) =
            address(settlement).call(abi.encodeCall(IPresageSettlement.withdrawDeposit, (asked, receiver)));
        require(done == (paid <= depositedOf[trader]), "withdrawal");
        if (!done) return;
        depositedOf[trader] -= paid;
        assertEq(usd.balanceOf(receiver), earlier + paid, "paid out");
        requireDeposits();
    }

    /// @param ledgers two bits for each fill; wrong ones must change nothing but where the money comes from and goes to
    function settleByLedger(
        uint256 plan,
        uint64[3] calldata prices,
        uint64[3] calldata sizes,
        uint8 spoil,
        uint8 ledgers,
        uint8 temper
    ) external {
        snapshot();
        noteMoney();
        uint256 signers = planBatch(plan, prices, sizes, spoil, ledgers);
        address blocked = addressOf(1 + temper / 4 % TRADERS);
        Mood mood = temper % 4 == 0 ? Mood(temper / 4 % 7) : Mood.Honest;
        token.setMood(mood == Mood.TakesFee ? Mood.Honest : mood);
        token.setBlocked(blocked, temper % 4 == 1);
        token.setBlocked(TREASURY, temper % 8 == 2);
        Order[] memory orders = batchOrders;
        send();
        token.setMood(Mood.Honest);
        token.setBlocked(blocked, false);
        token.setBlocked(TREASURY, false);
        for (uint256 i; i < codes.length; ++i) {
            if (codes[i] == 0) noteFill(planned[i], orders, settledAmounts[i]);
        }
        delete planned;
        delete isForged;
        requireMoney(temper % 4 < 2);
        requireSpared(signers);
        require(!token.reentrySucceeded(), "a token got in");
    }

    function noteFill(PlannedFill memory fill, Order[] memory orders, uint256 amounts) private {
        (Order memory buy, Order memory sell) = (orders[fill.buy], orders[fill.sell]);
        assertEq(uint64(amounts >> 128), fill.size, "size told");
        assertEq(uint64(amounts >> 64), (uint256(fill.price) * fill.size + 999_999) / 1e6, "cost told");
        assertEq(amounts >> 192 & 0xfffff, fill.price, "price told");
        bool isSellers = fill.sellerTakes && feesOf[buy.marketId].rateBps != 0;
        assertEq(amounts >> 253 & 1, isSellers ? 1 : 0, "taker told");
        (uint256 pays, uint256 gets) = duesOf(fill, buy.marketId);
        treasuryIncome += pays - gets;
        int256 left = int256(gets) - int256(uint256(uint64(amounts)));
        _money[buy.trader] -= int256(pays);
        _money[sell.trader] += left;
        if (amounts >> 255 == 1) _deposit[buy.trader] -= int256(pays);
        if (amounts >> 254 & 1 == 1) _deposit[sell.trader] += left;
        settledOf[keyOf(buy.trader, buy.marketId, buy.nonce)] += fill.size;
        settledOf[keyOf(sell.trader, sell.marketId, sell.nonce)] += fill.size;
        if (amounts >> 254 != 0) ++ledgerFills;
    }

    function noteMoney() private {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            address trader = addressOf(key);
            _deposit[trader] = int256(depositedOf[trader]);
            _money[trader] = _deposit[trader] + int256(usd.balanceOf(trader));
        }
    }

    /// @param mayBeUnpaid whether the token may have refused to pay somebody, who then finds it in the deposit
    function requireMoney(bool mayBeUnpaid) private {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            address trader = addressOf(key);
            (uint256 found,) = settlement.ledgerOf(trader);
            assertEq(found + usd.balanceOf(trader), uint256(_money[trader]), "money of a trader");
            if (mayBeUnpaid) require(int256(found) >= _deposit[trader], "a deposit that shrank");
            else assertEq(found, uint256(_deposit[trader]), "deposit of a trader");
            depositedOf[trader] = found;
        }
        requireIncome();
        requireDeposits();
    }

    /// @dev The settlement holds what it owes its depositors and nothing else, and each of them what is theirs.
    function requireDeposits() public view {
        uint256 owed;
        for (uint256 key = 1; key <= TRADERS + 1; ++key) {
            (uint256 found,) = settlement.ledgerOf(addressOf(key));
            assertEq(found, depositedOf[addressOf(key)], "deposit");
            owed += found;
        }
        (uint256 unpaid,) = settlement.ledgerOf(TREASURY);
        owed += unpaid;
        assertEq(usd.balanceOf(address(settlement)), owed, "stablecoin of the settlement");
    }
}
