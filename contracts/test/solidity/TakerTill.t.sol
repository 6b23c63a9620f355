// A taker whose wallet trades with deposits: it pays or is paid once for many fills, and what fails costs it nothing.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {HostileStablecoin, Mood} from "./HostileStablecoin.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract TakerTillTest is SettlementFixture {
    uint256 private constant TAKER = 11;
    uint256 private constant SECOND_TAKER = 12;
    uint256 private constant FIRST_MAKER = 21;
    uint256 private constant MAKERS = 4;
    uint64 private constant PRICE = 400_000;
    uint64 private constant SIZE = 10e6;
    uint256 private constant COST = 4e6;
    uint256 private constant DEPOSIT = 1_000e6;
    uint64 private constant FROM_LEDGER = 1 << 22;
    uint64 private constant INTO_LEDGER = 1 << 21;
    HostileStablecoin private token;
    address private taker;
    address private second;
    address[MAKERS] private makers;

    function setUp() public override {
        super.setUp();
        token = new HostileStablecoin();
        settleIn(address(token));
        (taker, second) = (openTrader(TAKER, RICH, 0), openTrader(SECOND_TAKER, RICH, 0));
        giveShares(taker, YES, 100e6);
        giveShares(second, YES, 100e6);
        for (uint256 i; i < MAKERS; ++i) {
            makers[i] = openTrader(FIRST_MAKER + i, RICH, 0);
            giveShares(makers[i], YES, SIZE);
            vm.prank(makers[i]);
            settlement.depositCollateral(DEPOSIT);
        }
    }

    function deposited(address trader) private view returns (uint256 balance) {
        (balance,) = settlement.ledgerOf(trader);
    }

    /// @dev The taker's order first, then one of each maker, and a fill of each.
    function putSweep(uint8 side, uint64 flags) private {
        put(TAKER, side, PRICE, uint64(SIZE * MAKERS), 0);
        for (uint256 i; i < MAKERS; ++i) {
            uint256 maker = put(FIRST_MAKER + i, 1 - side, PRICE, SIZE, 0);
            putFill(side == BUY ? 0 : maker, side == BUY ? maker : 0, PRICE | flags, SIZE);
        }
    }

    /// @dev The contract holds what it owes and nothing else.
    function expectCovered() private view {
        uint256 owed = deposited(taker) + deposited(second);
        for (uint256 i; i < MAKERS; ++i) owed += deposited(makers[i]);
        assertEq(usd.balanceOf(address(settlement)), owed, "held and owed");
    }

    function transfersOf(address from, address to, Vm.Log[] memory logs) private view returns (uint256 count) {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(usd) || logs[i].topics[0] != keccak256("Transfer(address,address,uint256)")) {
                continue;
            }
            bool isSame = uint256(logs[i].topics[1]) == uint160(from) && uint256(logs[i].topics[2]) == uint160(to);
            if (isSame) ++count;
        }
    }

    // ---------------------------------------------------------------- once

    function test_aWalletThatBuysPaysOnceForAllMakers() public {
        putSweep(BUY, INTO_LEDGER);
        Vm.Log[] memory logs = sendRecorded();
        assertEq(transfersOf(taker, address(settlement), logs), 1, "transfers");
        assertEq(usd.balanceOf(taker), RICH - MAKERS * COST, "taker's wallet");
        assertEq(yesOf(taker), 100e6 + MAKERS * SIZE, "taker's shares");
        for (uint256 i; i < MAKERS; ++i) assertEq(deposited(makers[i]), DEPOSIT + COST, "maker's deposit");
        expectCovered();
    }

    function test_aWalletThatSellsIsPaidOnceByAllMakers() public {
        putSweep(SELL, FROM_LEDGER);
        Vm.Log[] memory logs = sendRecorded();
        assertEq(transfersOf(address(settlement), taker, logs), 1, "transfers");
        assertEq(usd.balanceOf(taker), RICH + MAKERS * COST, "taker's wallet");
        for (uint256 i; i < MAKERS; ++i) assertEq(deposited(makers[i]), DEPOSIT - COST, "maker's deposit");
        expectCovered();
    }

    /// @dev What it mints costs more than it gets, so it pays for each at once and is owed nothing.
    function test_aWalletThatSellsWhatItDoesNotHoldPaysForTheMints() public {
        vm.prank(taker);
        shares.setApprovalForAll(address(settlement), false);
        putSweep(SELL, FROM_LEDGER);
        send();
        assertEq(usd.balanceOf(taker), RICH - MAKERS * (SIZE - COST), "taker's wallet");
        assertEq(noOf(taker), MAKERS * SIZE, "complement");
        expectCovered();
    }

    /// @dev It holds all but one share of each, so the makers' money pays for the mint and the rest is the taker's.
    function test_aWalletThatSellsPartOfWhatItHoldsIsPaidTheRest() public {
        uint256 held = yesOf(taker);
        vm.prank(taker);
        shares.safeTransferFrom(taker, address(0xb2), ids[YES], held - (MAKERS * SIZE - 3e6), "");
        putSweep(SELL, FROM_LEDGER);
        send();
        assertEq(usd.balanceOf(taker), RICH + MAKERS * COST - 3e6, "taker's wallet");
        assertEq(noOf(taker), 3e6, "complement");
        expectCovered();
    }

    // ---------------------------------------------------------------- what fails

    function testFuzz_aMakerWhoFailsCostsTheBuyerNothing(uint8 bad) public {
        bad %= uint8(MAKERS);
        putSweep(BUY, INTO_LEDGER);
        batchSignatures[1 + bad].r = 0;
        send();
        for (uint256 i; i < MAKERS; ++i) {
            assertEq(codes[i], i == bad ? FillCodes.SELLER_SIGNATURE : FillCodes.SETTLED, "code");
        }
        assertEq(usd.balanceOf(taker), RICH - (MAKERS - 1) * COST, "taker's wallet");
        assertEq(deposited(taker), 0, "nothing stays here");
        expectCovered();
    }

    function testFuzz_aMakerWhoFailsTakesNothingFromTheSeller(uint8 bad) public {
        bad %= uint8(MAKERS);
        vm.startPrank(makers[bad]);
        settlement.withdrawDeposit(type(uint256).max, address(1));
        usd.approve(address(settlement), 0);
        vm.stopPrank();
        putSweep(SELL, FROM_LEDGER);
        send();
        assertEq(codes[bad], FillCodes.BUYER_FUNDS, "code");
        assertEq(usd.balanceOf(taker), RICH + (MAKERS - 1) * COST, "taker's wallet");
        expectCovered();
    }

    function test_aWalletThatCannotPayForAllPaysForAsManyAsItCan() public {
        vm.prank(taker);
        usd.approve(address(settlement), 2 * COST);
        putSweep(BUY, INTO_LEDGER);
        send();
        for (uint256 i; i < MAKERS; ++i) {
            assertEq(codes[i], i < 2 ? FillCodes.SETTLED : FillCodes.BUYER_FUNDS, "code");
        }
        assertEq(usd.balanceOf(taker), RICH - 2 * COST, "taker's wallet");
        expectCovered();
    }

    function test_aSellerWhomTheTokenRefusesFindsItInItsDepositAndIsNotOptedIn() public {
        token.setBlocked(taker, true);
        putSweep(SELL, FROM_LEDGER);
        send();
        assertEq(codes[0], FillCodes.SETTLED, "code");
        (uint256 balance, bool hasOptedIn) = settlement.ledgerOf(taker);
        assertEq(balance, MAKERS * COST, "deposit");
        require(!hasOptedIn, "opted in by nobody");
        expectCovered();
        vm.prank(taker);
        settlement.withdrawDeposit(type(uint256).max, address(0xf1));
        assertEq(usd.balanceOf(address(0xf1)), MAKERS * COST, "withdrawn to another");
    }

    function test_theCreditOfWhoCannotBePaidIsTold() public {
        token.setBlocked(taker, true);
        putSweep(SELL, FROM_LEDGER);
        Vm.Log[] memory logs = sendRecorded();
        uint256 told;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != IPresageSettlement.Deposited.selector) continue;
            require(uint256(logs[i].topics[1]) == uint160(taker), "trader");
            require(uint256(logs[i].topics[2]) == uint160(address(settlement)), "payer");
            told += abi.decode(logs[i].data, (uint256));
        }
        assertEq(told, MAKERS * COST, "told");
    }

    function test_aTokenThatBurnsGasEndsNoBatch() public {
        putSweep(BUY, INTO_LEDGER);
        token.setMood(Mood.BurnsGas);
        send();
        for (uint256 i; i < MAKERS; ++i) assertEq(codes[i], FillCodes.OUT_OF_GAS, "code");
        token.setMood(Mood.Honest);
        assertEq(usd.balanceOf(taker), RICH, "taker's wallet");
        expectCovered();
    }

    // ---------------------------------------------------------------- whose money

    /// @dev A forged order of a wallet that lets the settlement draw everything.
    function test_nobodysWalletPaysAheadForAnOrderThatIsNotItsOwn() public {
        putSweep(BUY, INTO_LEDGER);
        batchSignatures[0].r = 0;
        Vm.Log[] memory logs = sendRecorded();
        assertEq(transfersOf(taker, address(settlement), logs), 0, "transfers");
        assertEq(usd.balanceOf(taker), RICH, "taker's wallet");
    }

    function test_aWalletNeverPaysAheadMoreThanItsOrderCanCost() public {
        put(TAKER, BUY, PRICE, SIZE, 0);
        for (uint256 i; i < MAKERS; ++i) {
            putFill(0, put(FIRST_MAKER + i, SELL, PRICE, SIZE, 0), PRICE | INTO_LEDGER, SIZE);
        }
        Vm.Log[] memory logs = sendRecorded();
        assertEq(transfersOf(taker, address(settlement), logs), 1, "the first fill alone");
        assertEq(transfersOf(address(settlement), taker, logs), 0, "nothing to give back");
        assertEq(usd.balanceOf(taker), RICH - COST, "taker's wallet");
        expectCovered();
    }

    function testFuzz_twoTakersNeverPayForEachOther(uint8 plan, bool sells) public {
        uint8 side = sells ? SELL : BUY;
        put(TAKER, side, PRICE, uint64(SIZE * MAKERS), 0);
        put(SECOND_TAKER, side, PRICE, uint64(SIZE * MAKERS), 0);
        uint256 ofSecond;
        for (uint256 i; i < MAKERS; ++i) {
            uint256 place = (plan >> i) & 1;
            ofSecond += place;
            uint256 maker = put(FIRST_MAKER + i, 1 - side, PRICE, SIZE, 0);
            (uint256 buy, uint256 sell) = sells ? (maker, place) : (place, maker);
            putFill(buy, sell, PRICE | (sells ? FROM_LEDGER : INTO_LEDGER), SIZE);
        }
        send();
        uint256 ofFirst = MAKERS - ofSecond;
        assertEq(usd.balanceOf(taker), sells ? RICH + ofFirst * COST : RICH - ofFirst * COST, "first");
        assertEq(usd.balanceOf(second), sells ? RICH + ofSecond * COST : RICH - ofSecond * COST, "second");
        expectCovered();
    }

    /// @dev Fills of the taker with makers whose wallets are paid stand between those with deposits.
    function testFuzz_makersWithAndWithoutDepositsMix(uint8 plan, bool sells) public {
        uint8 side = sells ? SELL : BUY;
        put(TAKER, side, PRICE, uint64(SIZE * MAKERS), 0);
        for (uint256 i; i < MAKERS; ++i) {
            uint256 maker = put(FIRST_MAKER + i, 1 - side, PRICE, SIZE, 0);
            uint64 flag = (plan >> i) & 1 == 0 ? 0 : sells ? FROM_LEDGER : INTO_LEDGER;
            if ((plan >> (i + 4)) & 1 == 1 && flag != 0) flag = FROM_LEDGER | INTO_LEDGER;
            putFill(sells ? maker : 0, sells ? 0 : maker, PRICE | flag, SIZE);
        }
        send();
        assertEq(usd.balanceOf(taker), sells ? RICH + MAKERS * COST : RICH - MAKERS * COST, "taker's wallet");
        for (uint256 i; i < MAKERS; ++i) {
            uint256 whole = usd.balanceOf(makers[i]) + deposited(makers[i]);
            assertEq(whole, sells ? RICH - COST : RICH + COST, "a maker's money");
        }
        expectCovered();
    }
}
