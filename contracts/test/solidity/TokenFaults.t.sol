// Who is to blame when a transfer fails: the purse that is short, the party that the token blocks, or the token.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {HostileStablecoin, Mood} from "./HostileStablecoin.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

contract TokenFaultsTest is SettlementFixture {
    uint256 private constant BUYER = 11;
    uint256 private constant SELLER = 12;
    uint64 private constant SIZE = 10e6;
    HostileStablecoin private token;
    address private buyer;
    address private seller;

    function setUp() public override {
        super.setUp();
        token = new HostileStablecoin();
        settleIn(address(token));
        buyer = openTrader(BUYER, RICH, 0);
        seller = openTrader(SELLER, RICH, 0);
    }

    function putTrade() private {
        put(BUYER, BUY, 400_000, SIZE, 0);
        put(SELLER, SELL, 400_000, SIZE, 0);
        putFill(0, 1, 400_000, SIZE);
    }

    /// @dev Nothing moved, nothing is counted, and the next attempt may succeed.
    function expectFault(uint8 code) private {
        uint256 sellersShares = yesOf(seller);
        putTrade();
        expectCode(code);
        assertEq(usd.balanceOf(buyer), RICH, "buyer's stablecoin");
        assertEq(usd.balanceOf(seller), RICH, "seller's stablecoin");
        assertEq(yesOf(seller), sellersShares, "seller's shares");
        assertEq(filledOf(BUYER, 0) + filledOf(SELLER, 0), 0, "counters");
    }

    function testFuzz_aPausedTokenIsNobodysFault(bool holdsShares) public {
        if (holdsShares) giveShares(seller, YES, SIZE);
        token.setMood(Mood.Paused);
        expectFault(FillCodes.TOKEN_FAULT);
    }

    function testFuzz_aTokenThatAnswersFalseIsNobodysFault(bool holdsShares) public {
        if (holdsShares) giveShares(seller, YES, SIZE);
        token.setMood(Mood.AnswersFalse);
        expectFault(FillCodes.TOKEN_FAULT);
    }

    function test_aTokenThatAnswersNothingSettles() public {
        giveShares(seller, YES, SIZE);
        token.setMood(Mood.AnswersNothing);
        putTrade();
        expectCode(FillCodes.SETTLED);
    }

    function testFuzz_aBuyerWhomTheTokenBlocksIsNamed(bool holdsShares) public {
        if (holdsShares) giveShares(seller, YES, SIZE);
        token.setBlocked(buyer, true);
        expectFault(FillCodes.BUYER_BLOCKED);
    }

    function testFuzz_aSellerWhomTheTokenBlocksIsNamedAndTheBuyerIsNot(bool holdsShares) public {
        if (holdsShares) giveShares(seller, YES, SIZE);
        token.setBlocked(seller, true);
        expectFault(FillCodes.SELLER_BLOCKED);
    }

    function testFuzz_aBlockedSettlementOrShareContractIsNobodysFault(bool settlementItself) public {
        token.setBlocked(settlementItself ? address(settlement) : address(shares), true);
        expectFault(FillCodes.TOKEN_FAULT);
    }

    function test_anEmptyPurseIsBlamedEvenWhereTheOtherPartyIsBlocked() public {
        giveShares(seller, YES, SIZE);
        token.setBlocked(seller, true);
        vm.prank(buyer);
        usd.approve(address(settlement), 1);
        putTrade();
        expectCode(FillCodes.BUYER_FUNDS);
    }

    function testFuzz_whatIsShortIsTheOnlyThingBlamed(uint64 allowance, uint64 balance, bool sellers) public {
        (address payer, uint256 due) = sellers ? (seller, 6e6) : (buyer, 4e6);
        vm.startPrank(payer);
        usd.approve(address(settlement), allowance % (2 * due));
        usd.transfer(address(1), RICH - balance % (2 * due));
        vm.stopPrank();
        bool isShort = allowance % (2 * due) < due || balance % (2 * due) < due;
        putTrade();
        expectCode(!isShort ? FillCodes.SETTLED : sellers ? FillCodes.SELLER_FUNDS : FillCodes.BUYER_FUNDS);
    }

    function test_aTokenThatBurnsGasIsNobodysFault() public {
        token.setMood(Mood.BurnsGas);
        expectFault(FillCodes.OUT_OF_GAS);
    }

    function test_aMintPaidWithAFeeOnTransferIsTheTokensFault() public {
        token.setMood(Mood.TakesFee);
        putTrade();
        expectCode(FillCodes.TOKEN_FAULT);
        assertEq(usd.balanceOf(buyer), RICH, "buyer's stablecoin");
    }

    /// @dev Even with the operator's own rights the token gets nothing settled twice.
    function test_aTokenThatCallsBackChangesNothing() public {
        putTrade();
        bytes memory again = abi.encodeCall(
            IPresageSettlement.moveAssets,
            (uint160(buyer), uint160(seller), ids[YES], SIZE, 1, YES, marketId)
        );
        token.setReentry(address(settlement), again);
        token.setMood(Mood.Reenters);
        send();
        require(!token.reentrySucceeded(), "it got in");
        assertEq(filledOf(BUYER, 0), SIZE, "counter");
        assertEq(usd.balanceOf(buyer), RICH - 4e6, "buyer's stablecoin");
    }
}
