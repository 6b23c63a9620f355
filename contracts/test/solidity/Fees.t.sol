// Fees of takers: who pays what, where it goes, and what cannot be charged whoever holds the keys.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FeeMath} from "../../src/libraries/FeeMath.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {HostileStablecoin, Mood} from "./HostileStablecoin.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract FeesTest is SettlementFixture {
    uint256 private constant BUYER = 11;
    uint256 private constant SELLER = 12;
    uint256 private constant THIRD = 13;
    address private constant TREASURY = address(0x7ea5);
    uint64 private constant PRICE = 400_000;
    uint64 private constant SIZE = 10e6;
    uint256 private constant COST = 4e6;
    /// @dev 2 % of 10 shares at 0.4 x 0.6, of which a quarter is the maker's.
    uint256 private constant FEE = 48_000;
    uint256 private constant REBATE = 12_000;
    /// @dev The rates where FillsSettled has them.
    uint256 private constant TERMS = 2_500 << 228 | 200 << 212;
    uint64 private constant FROM_LEDGER = 1 << 22;
    uint64 private constant INTO_LEDGER = 1 << 21;
    uint64 private constant SELLER_TAKES = 1 << 20;
    HostileStablecoin private token;
    address private buyer;
    address private seller;
    address private third;
    bytes32 private plainMarketId;

    function setUp() public override {
        super.setUp();
        token = new HostileStablecoin();
        settleIn(address(token));
        settlement.setTreasury(TREASURY);
        plainMarketId = marketId;
        marketId = newMarket("with fees", 200, 2_500);
        (buyer, seller) = (openTrader(BUYER, RICH, 0), openTrader(SELLER, RICH, 0));
        third = openTrader(THIRD, RICH, 0);
    }

    function newMarket(bytes32 question, uint16 rate, uint16 share) private returns (bytes32 id) {
        shares.prepareCondition(address(this), question, 2);
        id = shares.getConditionId(address(this), question, 2);
        (ids[YES], ids[NO]) = settlement.registerMarket(id, CLOSE, rate, share);
    }

    function depositOf(address trader, uint256 amount) private {
        vm.prank(trader);
        settlement.depositCollateral(amount);
    }

    function deposited(address trader) private view returns (uint256 balance) {
        (balance,) = settlement.ledgerOf(trader);
    }

    function wealthOf(address trader) private view returns (uint256) {
        return usd.balanceOf(trader) + deposited(trader);
    }

    /// @dev The contract holds what it owes and nothing else.
    function expectCovered() private view {
        uint256 owed = deposited(buyer) + deposited(seller) + deposited(third) + deposited(TREASURY);
        assertEq(usd.balanceOf(address(settlement)), owed, "held and owed");
    }

    function putTrade(uint64 flags) private {
        put(BUYER, BUY, PRICE, SIZE, 0);
        put(SELLER, SELL, PRICE, SIZE, 0);
        putFill(0, 1, PRICE | flags, SIZE);
    }

    // ---------------------------------------------------------------- who pays what

    function test_aBuyerWhoTakesPaysBeyondTheCost() public {
        giveShares(seller, YES, SIZE);
        putTrade(0);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(buyer), RICH - COST - FEE, "buyer");
        assertEq(usd.balanceOf(seller), RICH + COST + REBATE, "seller");
        assertEq(usd.balanceOf(TREASURY), FEE - REBATE, "treasury");
        assertEq(settledAmounts[0], TERMS | uint256(PRICE) << 192 | uint256(SIZE) << 128 | COST << 64, "told");
        expectCovered();
    }

    function test_aSellerWhoTakesPaysOutOfTheProceeds() public {
        giveShares(seller, YES, SIZE);
        putTrade(SELLER_TAKES);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(buyer), RICH - COST + REBATE, "buyer");
        assertEq(usd.balanceOf(seller), RICH + COST - FEE, "seller");
        assertEq(usd.balanceOf(TREASURY), FEE - REBATE, "treasury");
        uint256 told = 1 << 253 | TERMS | uint256(PRICE) << 192 | uint256(SIZE) << 128 | COST << 64;
        assertEq(settledAmounts[0], told, "told");
        expectCovered();
    }

    function test_aSellerWhoMintsPaysBesideTheComplement() public {
        putTrade(SELLER_TAKES);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(seller), RICH - (SIZE - COST) - FEE, "seller");
        assertEq(noOf(seller), SIZE, "complement");
        assertEq(usd.balanceOf(TREASURY), FEE - REBATE, "treasury");
        expectCovered();
    }

    struct RandomFill {
        uint16 rate;
        uint16 share;
        uint64 size;
        uint64 price;
        /// How many of its shares the seller holds; the rest is minted.
        uint64 held;
        bool buyerLedger;
        bool sellerLedger;
        bool sellerTakes;
    }

    function testFuzz_everyUnitGoesWhereItBelongs(RandomFill memory dice) public {
        (dice.rate, dice.share) = (dice.rate % 701, dice.share % 10_001);
        (dice.size, dice.price) = (1 + dice.size % 1_000e6, 1 + dice.price % 999_999);
        marketId = newMarket(keccak256(abi.encode(dice.rate, dice.share)), dice.rate, dice.share);
        giveShares(seller, YES, dice.held % 4 == 0 ? dice.size : dice.held % (dice.size + 1));
        uint256 minted = dice.size - yesOf(seller);
        if (dice.buyerLedger) depositOf(buyer, 2_000e6);
        if (dice.sellerLedger) depositOf(seller, 2_000e6);
        put(BUYER, BUY, dice.price, dice.size, 0);
        put(SELLER, SELL, dice.price, dice.size, 0);
        uint64 ledgers = (dice.buyerLedger ? FROM_LEDGER : 0) | (dice.sellerLedger ? INTO_LEDGER : 0);
        putFill(0, 1, dice.price | ledgers | (dice.sellerTakes ? SELLER_TAKES : 0), dice.size);
        (uint256 buyers, uint256 sellers) = (wealthOf(buyer), wealthOf(seller));
        expectCode(FillCodes.SETTLED);
        (uint256 pays, uint256 gets) = duesOf(dice);
        assertEq(buyers - wealthOf(buyer), pays, "buyer");
        assertEq(wealthOf(seller) + minted - sellers, gets, "seller");
        assertEq(wealthOf(TREASURY), pays - gets, "treasury");
        assertEq(noOf(seller), minted, "complement");
        expectCovered();
    }

    function duesOf(RandomFill memory dice) private pure returns (uint256 pays, uint256 gets) {
        uint256 cost = (uint256(dice.price) * dice.size + 999_999) / 1e6;
        uint256 product = uint256(dice.rate) * dice.size * dice.price * (1e6 - dice.price);
        uint256 fee = product / 1e16 + (product % 1e16 == 0 ? 0 : 1);
        uint256 rebate = fee * dice.share / 10_000;
        return dice.sellerTakes ? (cost - rebate, cost - fee) : (cost + fee, cost + rebate);
    }

    /// @dev So that a seller can always pay it out of what they get.
    function testFuzz_aFeeIsNeverMoreThanTheCost(uint16 rate, uint64 size, uint64 price) public pure {
        (rate, size, price) = (rate % 701, size == 0 ? 1 : size, 1 + price % 999_999);
        uint256 cost = (uint256(price) * size + 999_999) / 1e6;
        require(FeeMath.takerFee(rate, size, price) <= cost, "more than the cost");
    }

    function test_makersWhoGetTheWholeFeeLeaveTheTreasuryNothing() public {
        marketId = newMarket("all to makers", 200, 10_000);
        giveShares(seller, YES, SIZE);
        putTrade(0);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(seller), RICH + COST + FEE, "seller");
        assertEq(wealthOf(TREASURY), 0, "treasury");
        expectCovered();
    }

    function test_theBitOfTheTakerChangesNothingWithoutFees() public {
        marketId = plainMarketId;
        (ids[YES], ids[NO]) = settlement.registerMarket(plainMarketId, CLOSE, 0, 0);
        giveShares(seller, YES, SIZE);
        putTrade(SELLER_TAKES);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(buyer), RICH - COST, "buyer");
        assertEq(settledAmounts[0], uint256(PRICE) << 192 | uint256(SIZE) << 128 | COST << 64, "told");
    }

    function test_aBatchPaysTheTreasuryOnceForMarketsWithAndWithoutFees() public {
        giveShares(seller, YES, 2 * SIZE);
        putTrade(0);
        put(BUYER, BUY, PRICE, SIZE, 1);
        put(SELLER, SELL, PRICE, SIZE, 1);
        putFill(2, 3, PRICE | SELLER_TAKES, SIZE);
        Order memory buy = newOrder(BUYER, BUY, PRICE, SIZE, 2);
        Order memory sell = newOrder(SELLER, SELL, PRICE, SIZE, 2);
        (buy.marketId, sell.marketId) = (plainMarketId, plainMarketId);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(4, 5, PRICE, SIZE);
        Vm.Log[] memory logs = sendRecorded();
        uint256 payments;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != IPresageSettlement.FeesPaid.selector) continue;
            assertEq(uint256(logs[i].topics[1]), uint160(TREASURY), "paid to");
            assertEq(abi.decode(logs[i].data, (uint256)), 2 * (FEE - REBATE), "paid");
            ++payments;
        }
        assertEq(payments, 1, "payments");
        assertEq(usd.balanceOf(TREASURY), 2 * (FEE - REBATE), "treasury");
        expectCovered();
    }

    // ---------------------------------------------------------------- a taker's till

    /// @param fails which of the three makers has withdrawn its shares and its money
    function testFuzz_aTillPaysTheFeesOfWhatSettled(bool sells, uint8 fails, bool ofMaker) public {
        uint64 flags = (sells ? FROM_LEDGER : INTO_LEDGER) | (sells != ofMaker ? SELLER_TAKES : 0);
        giveShares(buyer, YES, 3 * SIZE);
        put(BUYER, sells ? SELL : BUY, PRICE, 3 * SIZE, 0);
        for (uint256 i; i < 3; ++i) {
            uint256 key = 21 + i;
            address maker = openTrader(key, RICH, sells ? 0 : SIZE);
            depositOf(maker, 10e6);
            if (i == fails % 4) {
                vm.startPrank(maker);
                settlement.withdrawDeposit(type(uint256).max, address(1));
                usd.approve(address(settlement), 0);
                shares.setApprovalForAll(address(settlement), false);
                vm.stopPrank();
            }
            uint256 place = put(key, sells ? BUY : SELL, PRICE, SIZE, 0);
            putFill(sells ? place : 0, sells ? 0 : place, PRICE | flags, SIZE);
        }
        send();
        uint256 settled = fails % 4 < 3 ? 2 : 3;
        // The one with the order of three fills takes, or each of the others.
        uint256 own = ofMaker ? REBATE : FEE;
        uint256 expected = sells
            ? RICH + settled * (ofMaker ? COST + own : COST - own)
            : RICH - settled * (ofMaker ? COST - own : COST + own);
        assertEq(usd.balanceOf(buyer), expected, "wallet");
        assertEq(usd.balanceOf(TREASURY), settled * (FEE - REBATE), "treasury");
        uint256 owed = deposited(vm.addr(21)) + deposited(vm.addr(22)) + deposited(vm.addr(23));
        assertEq(usd.balanceOf(address(settlement)), owed, "held and owed");
    }

    // ---------------------------------------------------------------- fees paid ahead

    function putSweep(uint256 takers, bool sells, uint256 first) private {
        uint256 order = put(takers, sells ? SELL : BUY, PRICE, 3 * SIZE, 0);
        for (uint256 i; i < 3; ++i) {
            uint256 place = put(first + i, sells ? BUY : SELL, PRICE, SIZE, 0);
            uint64 terms = PRICE | (sells ? SELLER_TAKES : 0);
            putFill(sells ? place : order, sells ? order : place, terms, SIZE);
        }
    }

    function openMakers(uint256 first, bool buy) private {
        for (uint256 i; i < 3; ++i) openTrader(first + i, buy ? RICH : 0, buy ? 0 : SIZE);
    }

    function transfersInto(address to, Vm.Log[] memory logs) private view returns (uint256 count) {
        for (uint256 i; i < logs.length; ++i) {
            bool isTransfer = logs[i].topics[0] == keccak256("Transfer(address,address,uint256)");
            if (logs[i].emitter == address(usd) && isTransfer && uint256(logs[i].topics[2]) == uint160(to)) ++count;
        }
    }

    /// @param fails which of the three makers, if one, has nothing
    function testFuzz_aWalletPaysTheFeesOfASweepOnce(bool sells, uint8 fails) public {
        openMakers(31, sells);
        giveShares(buyer, YES, sells ? 3 * SIZE : 0);
        if (fails % 4 < 3) {
            vm.startPrank(vm.addr(31 + fails % 4));
            usd.approve(address(settlement), 0);
            shares.setApprovalForAll(address(settlement), false);
            vm.stopPrank();
        }
        putSweep(BUYER, sells, 31);
        Vm.Log[] memory logs = sendRecorded();
        uint256 settled = fails % 4 < 3 ? 2 : 3;
        // Logs of a fill that was undone are recorded too.
        if (settled == 3) assertEq(transfersInto(address(settlement), logs), 1, "transfers into the contract");
        uint256 expected = sells ? RICH + settled * (COST - FEE) : RICH - settled * (COST + FEE);
        assertEq(usd.balanceOf(buyer), expected, "taker");
        assertEq(usd.balanceOf(TREASURY), settled * (FEE - REBATE), "treasury");
        assertEq(usd.balanceOf(address(settlement)), 0, "left");
    }

    /// @dev It is short of money either way, and the only one to blame.
    function testFuzz_aWalletThatIsShortIsBlamedAndHasTheRestBack(uint256 money) public {
        openMakers(31, false);
        money = money % (3 * COST + 3 * FEE);
        vm.startPrank(buyer);
        usd.transfer(address(1), RICH - money);
        vm.stopPrank();
        putSweep(BUYER, false, 31);
        send();
        uint256 settled;
        for (uint256 i; i < 3; ++i) {
            if (codes[i] == FillCodes.SETTLED) ++settled;
            else assertEq(codes[i], FillCodes.BUYER_FUNDS, "code");
        }
        require(settled < 3, "paid with nothing");
        assertEq(usd.balanceOf(buyer), money - settled * (COST + FEE), "taker");
        assertEq(usd.balanceOf(TREASURY), settled * (FEE - REBATE), "treasury");
        assertEq(usd.balanceOf(address(settlement)), 0, "left");
    }

    /// @dev Of two sweeps and a plain market between them, each wallet pays for its own.
    function test_sweepsThatFollowEachOtherPayForThemselves() public {
        openMakers(31, false);
        openMakers(41, false);
        putSweep(BUYER, false, 31);
        putSweep(THIRD, false, 41);
        send();
        assertEq(usd.balanceOf(buyer), RICH - 3 * (COST + FEE), "first");
        assertEq(usd.balanceOf(third), RICH - 3 * (COST + FEE), "second");
        assertEq(usd.balanceOf(TREASURY), 6 * (FEE - REBATE), "treasury");
        expectCovered();
    }

    /// @dev What the operator makes of the packed fills, a wallet never pays ahead more than its order could owe.
    function test_nobodyPaysFeesAheadBeyondTheirOrder() public {
        openMakers(31, false);
        put(BUYER, BUY, PRICE, SIZE, 0);
        for (uint256 i; i < 3; ++i) {
            putFill(0, put(31 + i, SELL, PRICE, SIZE, 0), PRICE, type(uint64).max / 4);
        }
        Vm.Log[] memory logs = sendRecorded();
        assertEq(transfersInto(address(settlement), logs), 0, "transfers");
        assertEq(usd.balanceOf(buyer), RICH, "taker");
    }

    // ---------------------------------------------------------------- who is to blame

    function testFuzz_aTakerWhoCanPayTheCostAndNotTheFeeIsNamed(bool sellerTakes, bool lacksAllowance) public {
        (address payer, uint256 due) = sellerTakes ? (seller, SIZE - COST + FEE) : (buyer, COST + FEE);
        vm.startPrank(payer);
        if (lacksAllowance) usd.approve(address(settlement), due - 1);
        else usd.transfer(address(1), RICH - (due - 1));
        vm.stopPrank();
        putTrade(sellerTakes ? SELLER_TAKES : 0);
        expectCode(sellerTakes ? FillCodes.SELLER_FUNDS : FillCodes.BUYER_FUNDS);
        assertEq(wealthOf(TREASURY), 0, "treasury");
        if (lacksAllowance) {
            vm.prank(payer);
            usd.approve(address(settlement), due);
        } else {
            usd.mint(payer, 1);
        }
        putTrade(sellerTakes ? SELLER_TAKES : 0);
        expectCode(FillCodes.SETTLED);
    }

    function test_aBlockedSellerIsNamedAndTheBuyerGetsTheFeeBack() public {
        giveShares(seller, YES, SIZE);
        token.setBlocked(seller, true);
        putTrade(0);
        expectCode(FillCodes.SELLER_BLOCKED);
        assertEq(usd.balanceOf(buyer), RICH, "buyer");
        expectCovered();
    }

    function test_aDepositWithoutTheFeeIsLeftAloneAndTheWalletPaysBoth() public {
        giveShares(seller, YES, SIZE);
        depositOf(buyer, COST);
        putTrade(FROM_LEDGER);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(buyer), COST, "deposit");
        assertEq(usd.balanceOf(buyer), RICH - COST - COST - FEE, "wallet");
        expectCovered();
    }

    // ---------------------------------------------------------------- the treasury

    function test_aTreasuryThatTheTokenRefusesStopsNothingAndLosesNothing() public {
        giveShares(seller, YES, SIZE);
        token.setBlocked(TREASURY, true);
        putTrade(0);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(TREASURY), FEE - REBATE, "kept");
        expectCovered();
        vm.prank(TREASURY);
        settlement.withdrawDeposit(type(uint256).max, third);
        assertEq(usd.balanceOf(third), RICH + FEE - REBATE, "taken elsewhere");
        expectCovered();
    }

    function test_aPausedTokenStopsNoFeeBetweenDeposits() public {
        giveShares(seller, YES, SIZE);
        depositOf(buyer, 10e6);
        depositOf(seller, 1);
        token.setMood(Mood.Paused);
        putTrade(FROM_LEDGER | INTO_LEDGER);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(TREASURY), FEE - REBATE, "kept");
        assertEq(deposited(seller), 1 + COST + REBATE, "seller");
        expectCovered();
    }

    function test_onlyTheOwnerNamesTheTreasuryAndNeverNobody() public {
        vm.prank(buyer);
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.setTreasury(buyer);
        vm.expectRevert(IPresageSettlement.UnfitTreasury.selector);
        settlement.setTreasury(address(0));
        vm.expectRevert(IPresageSettlement.UnfitTreasury.selector);
        settlement.setTreasury(address(settlement));
        settlement.setTreasury(third);
        require(settlement.treasury() == third, "treasury");
    }

    // ---------------------------------------------------------------- the rates

    function test_thereIsNoMarketWithFeesWithoutATreasury() public {
        settleIn(address(token));
        shares.prepareCondition(address(this), "early", 2);
        bytes32 id = shares.getConditionId(address(this), "early", 2);
        vm.expectRevert(IPresageSettlement.NoTreasury.selector);
        settlement.registerMarket(id, CLOSE, 1, 0);
        settlement.registerMarket(id, CLOSE, 0, 0);
    }

    function testFuzz_ratesBeyondTheBoundsAreRefused(uint16 rate, uint16 share) public {
        bool isLegal = rate <= 700 && share <= 10_000;
        shares.prepareCondition(address(this), "bounds", 2);
        bytes32 id = shares.getConditionId(address(this), "bounds", 2);
        if (!isLegal) vm.expectRevert(IPresageSettlement.FeesTooHigh.selector);
        settlement.registerMarket(id, CLOSE, rate, share);
        if (!isLegal) return;
        (uint16 foundRate, uint16 foundShare) = settlement.feesOf(id);
        assertEq(foundRate, rate, "rate");
        assertEq(foundShare, share, "share");
    }

    function test_theBoundsThemselvesAreLegal() public {
        newMarket("the highest", 700, 10_000);
        shares.prepareCondition(address(this), "higher", 2);
        bytes32 id = shares.getConditionId(address(this), "higher", 2);
        vm.expectRevert(IPresageSettlement.FeesTooHigh.selector);
        settlement.registerMarket(id, CLOSE, 701, 0);
        vm.expectRevert(IPresageSettlement.FeesTooHigh.selector);
        settlement.registerMarket(id, CLOSE, 700, 10_001);
    }

    function test_whatIsFixedStaysWhateverHappensToTheMarket() public {
        vm.expectRevert(IPresageSettlement.FeesAreFixed.selector);
        settlement.registerMarket(marketId, CLOSE, 700, 0);
        vm.expectRevert(IPresageSettlement.FeesAreFixed.selector);
        settlement.registerMarket(plainMarketId, CLOSE, 1, 0);
        settlement.registerMarket(marketId, CLOSE, 200, 2_500);
        settlement.setMarketPaused(marketId, true);
        expectFees();
        settlement.registerMarket(marketId, CLOSE, 200, 2_500);
        uint256[] memory payouts = new uint256[](2);
        payouts[0] = 1;
        shares.reportPayouts("with fees", payouts);
        settlement.closeMarket(marketId);
        settlement.setMarketPaused(marketId, false);
        expectFees();
        assertEq(settlement.settlesUntil(marketId), block.timestamp + 120, "end");
        giveShares(seller, YES, SIZE);
        putTrade(0);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(TREASURY), FEE - REBATE, "treasury");
        vm.warp(block.timestamp + 121);
        putTrade(0);
        expectCode(FillCodes.MARKET_RESOLVED);
    }

    function expectFees() private view {
        (uint16 rate, uint16 share) = settlement.feesOf(marketId);
        assertEq(rate, 200, "rate");
        assertEq(share, 2_500, "share");
    }

    /// @dev The operator's powers end at the market's rate: of what a fill can be, none takes more.
    function testFuzz_noFillTakesMoreThanTheRate(uint24 terms, uint64 size) public {
        size = 1 + size % SIZE;
        giveShares(seller, YES, SIZE);
        put(BUYER, BUY, 999_999, SIZE, 0);
        put(SELLER, SELL, 1, SIZE, 0);
        putFill(0, 1, terms, size);
        send();
        uint256 price = terms & 0xfffff;
        if (codes[0] != FillCodes.SETTLED) {
            assertEq(wealthOf(TREASURY), 0, "a fee for nothing");
            return;
        }
        uint256 fee = FeeMath.takerFee(200, size, price);
        assertEq(wealthOf(TREASURY), fee - fee / 4, "treasury");
        expectCovered();
    }
}
