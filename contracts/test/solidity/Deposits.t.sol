// Deposits: who can pay in and take out, when, and for whom; and that a signature opens no other door.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement} from "../../src/interfaces/IPresageSettlement.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {HostileStablecoin, Mood} from "./HostileStablecoin.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract DepositsTest is SettlementFixture {
    uint256 private constant KEY = 11;
    address private constant FRIEND = address(0xf1);
    HostileStablecoin private token;
    address private trader;

    function setUp() public override {
        super.setUp();
        token = new HostileStablecoin();
        settleIn(address(token));
        trader = openTrader(KEY, 100e6, 0);
    }

    function deposit(uint256 amount) private {
        vm.prank(trader);
        settlement.depositCollateral(amount);
    }

    function expectLedger(address who, uint256 balance, bool hasOptedIn) private view {
        (uint256 found, bool isIn) = settlement.ledgerOf(who);
        assertEq(found, balance, "deposited");
        require(isIn == hasOptedIn, "opted in");
    }

    // ---------------------------------------------------------------- paying in

    function testFuzz_aDepositMovesTheMoneyAndOptsIn(uint64 first, uint64 second) public {
        (first, second) = (first % 50e6, second % 50e6);
        deposit(first);
        deposit(second);
        expectLedger(trader, uint256(first) + second, true);
        assertEq(usd.balanceOf(trader), 100e6 - first - second, "wallet");
        assertEq(usd.balanceOf(address(settlement)), uint256(first) + second, "held");
    }

    function test_aDepositIsToldWithItsPayer() public {
        vm.recordLogs();
        deposit(7);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory last = logs[logs.length - 1];
        require(last.topics[0] == IPresageSettlement.Deposited.selector, "event");
        require(uint256(last.topics[1]) == uint160(trader) && uint256(last.topics[2]) == uint160(trader), "parties");
        assertEq(abi.decode(last.data, (uint256)), 7, "amount");
    }

    function test_whatAnotherDepositsOptsNobodyIn() public {
        vm.prank(trader);
        settlement.depositTo(FRIEND, 5e6);
        expectLedger(FRIEND, 5e6, false);
        expectLedger(trader, 0, false);
        assertEq(usd.balanceOf(trader), 95e6, "the payer's wallet");
        vm.prank(FRIEND);
        settlement.withdrawDeposit(5e6, FRIEND);
        assertEq(usd.balanceOf(FRIEND), 5e6, "is the friend's");
    }

    function test_whatAnotherDepositsLeavesTheOptInAlone() public {
        deposit(1);
        usd.mint(address(this), 2);
        usd.approve(address(settlement), 2);
        settlement.depositTo(trader, 2);
        expectLedger(trader, 3, true);
    }

    function test_nothingIsCreditedThatDidNotCome() public {
        vm.startPrank(trader);
        vm.expectRevert();
        settlement.depositCollateral(100e6 + 1);
        usd.approve(address(settlement), 3);
        vm.expectRevert();
        settlement.depositCollateral(4);
        vm.stopPrank();
        expectLedger(trader, 0, false);
        token.setMood(Mood.AnswersFalse);
        vm.prank(trader);
        vm.expectRevert();
        settlement.depositCollateral(1);
    }

    function test_aDepositBeyondHalfAWordIsRefused() public {
        uint256 most = type(uint128).max;
        usd.mint(trader, most);
        deposit(most);
        vm.prank(trader);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.DepositTooLarge.selector, 1));
        settlement.depositCollateral(1);
        expectLedger(trader, most, true);
    }

    // ---------------------------------------------------------------- taking out

    function testFuzz_aWithdrawalPaysWhomTheTraderNames(uint64 amount, bool toItself) public {
        deposit(10e6);
        amount = 1 + amount % (10e6 - 1);
        address to = toItself ? trader : FRIEND;
        uint256 before = usd.balanceOf(to);
        vm.recordLogs();
        vm.prank(trader);
        settlement.withdrawDeposit(amount, to);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory last = logs[logs.length - 1];
        require(last.topics[0] == IPresageSettlement.Withdrawn.selector, "event");
        require(uint256(last.topics[1]) == uint160(trader) && uint256(last.topics[2]) == uint160(to), "parties");
        assertEq(abi.decode(last.data, (uint256)), amount, "amount");
        assertEq(usd.balanceOf(to), before + amount, "paid");
        expectLedger(trader, 10e6 - amount, true);
    }

    function testFuzz_takingOutEverythingOptsOut(bool isNamed) public {
        deposit(10e6);
        vm.prank(trader);
        settlement.withdrawDeposit(isNamed ? 10e6 : type(uint256).max, trader);
        expectLedger(trader, 0, false);
        assertEq(usd.balanceOf(trader), 100e6, "wallet");
    }

    function test_nobodyTakesOutMoreThanTheyHave() public {
        deposit(10e6);
        usd.mint(address(this), 50e6);
        usd.approve(address(settlement), 50e6);
        settlement.depositCollateral(50e6);
        vm.prank(trader);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.DepositTooLow.selector, 10e6));
        settlement.withdrawDeposit(10e6 + 1, trader);
        vm.prank(FRIEND);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.DepositTooLow.selector, 0));
        settlement.withdrawDeposit(1, FRIEND);
        expectLedger(trader, 10e6, true);
    }

    function test_aWithdrawalNeedsNoOperatorAndNoPermission() public {
        deposit(10e6);
        settlement.pause();
        settlement.revokeRole(settlement.OPERATOR_ROLE(), address(this));
        vm.startPrank(trader);
        settlement.haltTrading();
        settlement.withdrawDeposit(4e6, trader);
        vm.stopPrank();
        vm.warp(START + 10 * 365 days);
        vm.prank(trader);
        settlement.withdrawDeposit(type(uint256).max, FRIEND);
        assertEq(usd.balanceOf(trader) + usd.balanceOf(FRIEND), 100e6, "all of it");
    }

    function test_aTraderWhomTheTokenRefusesNamesAnother() public {
        deposit(10e6);
        token.setBlocked(trader, true);
        vm.startPrank(trader);
        vm.expectRevert();
        settlement.withdrawDeposit(10e6, trader);
        settlement.withdrawDeposit(10e6, FRIEND);
        vm.stopPrank();
        assertEq(usd.balanceOf(FRIEND), 10e6, "paid");
    }

    function test_aTokenThatCallsBackTakesOutNothingTwice() public {
        deposit(10e6);
        usd.mint(address(this), 50e6);
        usd.approve(address(settlement), 50e6);
        settlement.depositCollateral(50e6);
        // The token itself has a deposit, and asks for all of it again while it is being paid.
        usd.mint(address(token), 5e6);
        vm.startPrank(address(token));
        usd.approve(address(settlement), 5e6);
        settlement.depositCollateral(5e6);
        bytes memory again = abi.encodeCall(IPresageSettlement.withdrawDeposit, (5e6, address(token)));
        token.setReentry(address(settlement), again);
        token.setMood(Mood.Reenters);
        settlement.withdrawDeposit(5e6, address(token));
        vm.stopPrank();
        require(!token.reentrySucceeded(), "it got in");
        assertEq(usd.balanceOf(address(settlement)), 60e6, "the others' deposits");
    }

    // ---------------------------------------------------------------- by signature

    function signDeposit(uint256 key, uint256 amount, uint256 nonce) private view returns (bytes memory) {
        bytes32 typehash = keccak256("Deposit(address trader,uint256 amount,uint256 nonce,uint256 deadline)");
        return signed(key, keccak256(abi.encode(typehash, trader, amount, nonce, START)));
    }

    function signWithdrawal(uint256 key, uint256 amount, address to, uint256 nonce) private view returns (bytes memory) {
        bytes32 typehash =
            keccak256("WithdrawDeposit(address trader,uint256 amount,address to,uint256 nonce,uint256 deadline)");
        return signed(key, keccak256(abi.encode(typehash, trader, amount, to, nonce, START)));
    }

    function signed(uint256 key, bytes32 structHash) private view returns (bytes memory) {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", settlement.DOMAIN_SEPARATOR(), structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function test_anybodyMaySendWhatTheTraderSigned() public {
        settlement.depositBySig(trader, 10e6, START, signDeposit(KEY, 10e6, 0));
        expectLedger(trader, 10e6, true);
        assertEq(usd.balanceOf(trader), 90e6, "the trader's wallet pays");
        settlement.withdrawDepositBySig(trader, 4e6, FRIEND, START, signWithdrawal(KEY, 4e6, FRIEND, 1));
        expectLedger(trader, 6e6, true);
        assertEq(usd.balanceOf(FRIEND), 4e6, "paid");
        assertEq(settlement.nonces(trader), 2, "nonces");
    }

    function test_aSignatureCountsOnceAndForItsWordsOnly() public {
        bytes memory deposited = signDeposit(KEY, 10e6, 0);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.depositBySig(trader, 11e6, START, deposited);
        settlement.depositBySig(trader, 10e6, START, deposited);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.depositBySig(trader, 10e6, START, deposited);

        bytes memory withdrawal = signWithdrawal(KEY, 4e6, FRIEND, 1);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.withdrawDepositBySig(trader, 4e6, address(this), START, withdrawal);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.withdrawDepositBySig(trader, 5e6, FRIEND, START, withdrawal);
        settlement.withdrawDepositBySig(trader, 4e6, FRIEND, START, withdrawal);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.withdrawDepositBySig(trader, 4e6, FRIEND, START, withdrawal);
        expectLedger(trader, 6e6, true);
    }

    function test_nobodySignsForAnother() public {
        deposit(10e6);
        bytes memory another = signDeposit(KEY + 1, 10e6, 0);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.depositBySig(trader, 10e6, START, another);
        another = signWithdrawal(KEY + 1, 1, FRIEND, 0);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.withdrawDepositBySig(trader, 1, FRIEND, START, another);
    }

    function test_anExpiredSignatureIsRefused() public {
        deposit(10e6);
        vm.warp(START + 1);
        bytes memory late = signDeposit(KEY, 1, 0);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        settlement.depositBySig(trader, 1, START, late);
        late = signWithdrawal(KEY, 1, FRIEND, 0);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        settlement.withdrawDepositBySig(trader, 1, FRIEND, START, late);
    }
}
