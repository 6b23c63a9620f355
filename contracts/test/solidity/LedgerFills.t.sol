// Fills that pay from deposits and into them: every combination of who has one, with and without a mint, and what wrong flags do.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {FillWords} from "../../src/libraries/FillWords.sol";
import {HostileStablecoin, Mood} from "./HostileStablecoin.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

contract LedgerFillsTest is SettlementFixture {
    uint256 private constant BUYER = 11;
    uint256 private constant SELLER = 12;
    uint256 private constant OTHER = 13;
    uint64 private constant PRICE = 400_000;
    uint64 private constant SIZE = 10e6;
    uint256 private constant COST = 4e6;
    uint64 private constant FROM_LEDGER = 1 << 22;
    uint64 private constant INTO_LEDGER = 1 << 21;
    uint64 private constant MUST_NOT_MINT = 1 << 23;
    HostileStablecoin private token;
    address private buyer;
    address private seller;
    address private other;

    function setUp() public override {
        super.setUp();
        token = new HostileStablecoin();
        settleIn(address(token));
        (buyer, seller) = (openTrader(BUYER, RICH, 0), openTrader(SELLER, RICH, 0));
        other = openTrader(OTHER, RICH, 0);
        depositOf(other, 1_000e6);
    }

    function depositOf(address trader, uint256 amount) private {
        vm.prank(trader);
        settlement.depositCollateral(amount);
    }

    function deposited(address trader) private view returns (uint256 balance) {
        (balance,) = settlement.ledgerOf(trader);
    }

    function putTrade(uint64 flags) private {
        put(BUYER, BUY, PRICE, SIZE, 0);
        put(SELLER, SELL, PRICE, SIZE, 0);
        putFill(0, 1, PRICE | flags, SIZE);
    }

    /// @dev The contract holds what it owes and nothing else.
    function expectCovered() private view {
        uint256 owed = deposited(buyer) + deposited(seller) + deposited(other);
        assertEq(usd.balanceOf(address(settlement)), owed, "held and owed");
        assertEq(deposited(other), 1_000e6, "somebody else's deposit");
    }

    // ---------------------------------------------------------------- every combination

    /// @param held how many of its shares the seller holds: all, some or none, so that the mint costs more than the buyer pays, or less
    function testFuzz_theMoneyComesFromAndGoesWhereTheFlagsSay(bool from, bool into, bool asNo, uint64 held) public {
        held = held % 4 == 0 ? SIZE : held % (SIZE + 1);
        giveShares(seller, asNo ? NO : YES, held);
        if (from) depositOf(buyer, 100e6);
        if (into) depositOf(seller, 100e6);
        Order memory buy = newOrder(BUYER, BUY, PRICE, SIZE, 0);
        Order memory sell = newOrder(SELLER, SELL, PRICE, SIZE, 0);
        if (asNo) (buy.outcome, sell.outcome) = (NO, NO);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, PRICE | (from ? FROM_LEDGER : 0) | (into ? INTO_LEDGER : 0), SIZE);
        expectCode(FillCodes.SETTLED);

        uint256 minted = SIZE - held;
        (uint256 buyers, uint256 sellers) = (RICH - (from ? 100e6 : 0), RICH - (into ? 100e6 : 0));
        assertEq(usd.balanceOf(buyer), from ? buyers : buyers - COST, "buyer's wallet");
        assertEq(deposited(buyer), from ? 100e6 - COST : 0, "buyer's deposit");
        assertEq(usd.balanceOf(seller), into ? sellers : sellers + COST - minted, "seller's wallet");
        assertEq(deposited(seller), into ? 100e6 + COST - minted : 0, "seller's deposit");
        assertEq(asNo ? noOf(buyer) : yesOf(buyer), SIZE, "bought");
        assertEq(asNo ? yesOf(seller) : noOf(seller), minted, "complement");
        uint256 used = (from ? 1 << 255 : 0) | (into && minted != COST ? 1 << 254 : 0);
        uint256 amounts = used | uint256(PRICE) << 192 | uint256(SIZE) << 128 | COST << 64 | minted;
        assertEq(settledAmounts[0], amounts, "told");
        expectCovered();
    }

    function test_aTraderMayTradeWithItselfThroughItsDeposit() public {
        giveShares(buyer, YES, SIZE);
        depositOf(buyer, COST);
        put(BUYER, BUY, PRICE, SIZE, 0);
        put(BUYER, SELL, PRICE, SIZE, 1);
        putFill(0, 1, PRICE | FROM_LEDGER | INTO_LEDGER, SIZE);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(buyer), COST, "as before");
        expectCovered();
    }

    function test_aFillThatMustNotMintStillDoesNot() public {
        giveShares(seller, YES, SIZE - 1);
        depositOf(buyer, COST);
        depositOf(seller, 100e6);
        putTrade(FROM_LEDGER | INTO_LEDGER | MUST_NOT_MINT);
        expectCode(FillCodes.SELLER_WOULD_MINT);
        giveShares(seller, YES, 1);
        putTrade(FROM_LEDGER | INTO_LEDGER | MUST_NOT_MINT);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(seller), 100e6 + COST, "paid");
        expectCovered();
    }

    function test_aPausedTokenStopsNoFillBetweenDeposits() public {
        giveShares(seller, YES, SIZE);
        depositOf(buyer, COST);
        depositOf(seller, 1);
        token.setMood(Mood.Paused);
        putTrade(FROM_LEDGER | INTO_LEDGER);
        expectCode(FillCodes.SETTLED);
    }

    // ---------------------------------------------------------------- wrong flags

    function test_aDepositThatDoesNotCoverTheFillIsLeftAlone() public {
        giveShares(seller, YES, SIZE);
        depositOf(buyer, COST - 1);
        putTrade(FROM_LEDGER);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(buyer), COST - 1, "deposit");
        assertEq(usd.balanceOf(buyer), RICH - COST - (COST - 1), "the wallet paid");
        assertEq(usd.balanceOf(seller), RICH + COST, "the seller is paid");
        assertEq(settledAmounts[0] >> 254, 0, "told");
        expectCovered();
    }

    function test_whoHasNotOptedInIsPaidIntoTheWallet() public {
        giveShares(seller, YES, SIZE);
        vm.prank(other);
        settlement.depositTo(seller, 5e6);
        putTrade(INTO_LEDGER);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(seller), 5e6, "deposit");
        assertEq(usd.balanceOf(seller), RICH + COST, "wallet");
        expectCovered();
    }

    function test_whoIsRefusedByTheTokenAndHasNotOptedInIsNamed() public {
        giveShares(seller, YES, SIZE);
        token.setBlocked(seller, true);
        putTrade(INTO_LEDGER);
        expectCode(FillCodes.SELLER_BLOCKED);
        expectCovered();
    }

    function testFuzz_onlyWhoCanPayFromNeitherIsBlamed(bool isSeller, bool isNamed) public {
        (address payer, uint256 due) = isSeller ? (seller, SIZE - COST) : (buyer, COST);
        vm.startPrank(payer);
        settlement.depositCollateral(due - 1);
        usd.approve(address(settlement), due - 1);
        vm.stopPrank();
        putTrade(isNamed ? (isSeller ? INTO_LEDGER : FROM_LEDGER) : 0);
        expectCode(isSeller ? FillCodes.SELLER_FUNDS : FillCodes.BUYER_FUNDS);
        assertEq(deposited(payer), due - 1, "deposit");
        expectCovered();
    }

    function testFuzz_aDepositThatTheFillDoesNotNameIsTheOperatorsMistake(bool isSeller, bool isBlocked) public {
        (address payer, uint256 due) = isSeller ? (seller, SIZE - COST) : (buyer, COST);
        depositOf(payer, due);
        if (isBlocked) {
            token.setBlocked(payer, true);
        } else {
            vm.prank(payer);
            usd.approve(address(settlement), due - 1);
        }
        putTrade(0);
        expectCode(FillCodes.LEDGER_NOT_NAMED);
        putTrade(isSeller ? INTO_LEDGER : FROM_LEDGER);
        expectCode(FillCodes.SETTLED);
        assertEq(deposited(payer), 0, "spent to the last unit");
    }

    function test_aBlockedSellerIsNamedAlsoWhereTheBuyerHasADeposit() public {
        giveShares(seller, YES, SIZE);
        depositOf(buyer, COST);
        token.setBlocked(seller, true);
        putTrade(0);
        expectCode(FillCodes.SELLER_BLOCKED);
    }

    function test_aFailedFillTakesItsDepositsBack() public {
        depositOf(buyer, COST);
        vm.prank(seller);
        usd.approve(address(settlement), 0);
        putTrade(FROM_LEDGER);
        expectCode(FillCodes.SELLER_FUNDS);
        assertEq(deposited(buyer), COST, "deposit");
        assertEq(filledOf(BUYER, 0) + filledOf(SELLER, 0), 0, "counters");
        expectCovered();
    }

    // ---------------------------------------------------------------- between the match and the settlement

    function testFuzz_aWithdrawalIntoTheWalletFailsNoFill(bool leavesIt) public {
        giveShares(seller, YES, SIZE);
        depositOf(buyer, COST);
        vm.startPrank(buyer);
        usd.transfer(address(1), usd.balanceOf(buyer));
        settlement.withdrawDeposit(type(uint256).max, leavesIt ? buyer : address(1));
        vm.stopPrank();
        putTrade(FROM_LEDGER);
        expectCode(leavesIt ? FillCodes.SETTLED : FillCodes.BUYER_FUNDS);
    }
}
