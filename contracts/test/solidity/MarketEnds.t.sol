// When a market settles no more: after its result, after its expiration, and while it is paused.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {TwoTraders} from "./TwoTraders.sol";
import {vm} from "./Vm.sol";

contract MarketEndsTest is TwoTraders {
    // ---------------------------------------------------------------- after the result

    function test_aResolvedMarketSettlesForTwoMinutesAndNotLonger() public {
        resolve();
        settlement.closeMarket(marketId);
        assertEq(settlement.settlesUntil(marketId), START + 120, "settles until");
        vm.warp(START + 120);
        putTrade(500_000, 10e6);
        expectCode(FillCodes.SETTLED);
        vm.warp(START + 121);
        put(BUYER, BUY, 500_000, 10e6, 1);
        put(SELLER, SELL, 500_000, 10e6, 1);
        putFill(0, 1, 500_000, 10e6);
        expectCode(FillCodes.MARKET_RESOLVED);
        assertEq(filledOf(BUYER, 1) + filledOf(SELLER, 1), 0, "counters");
    }

    function test_theNoSideEndsWithTheYesSide() public {
        resolve();
        settlement.closeMarket(marketId);
        Order memory buy = newOrder(BUYER, BUY, 500_000, 10e6, 0);
        Order memory sell = newOrder(SELLER, SELL, 500_000, 10e6, 0);
        (buy.outcome, sell.outcome) = (NO, NO);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, 500_000, 1e6);
        putFill(0, 1, 500_000, 1e6);
        send();
        assertEq(codes[0], FillCodes.SETTLED, "at once");
        assertEq(noOf(buyer), 2e6, "NO shares");
        vm.warp(START + 121);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, 500_000, 1e6);
        expectCode(FillCodes.MARKET_RESOLVED);
    }

    function test_aMarketWithoutAResultCannotBeClosed() public {
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.MarketNotResolved.selector, marketId));
        settlement.closeMarket(marketId);
        assertEq(settlement.settlesUntil(marketId), CLOSE + GRACE, "settles until");
        settlement.closeMarket(keccak256("nobody registered this"));
        assertEq(settlement.settlesUntil(keccak256("nobody registered this")), 0, "unknown");
    }

    function test_aSecondClosingDoesNotPutOffTheEnd() public {
        resolve();
        settlement.closeMarket(marketId);
        vm.warp(START + 60);
        settlement.closeMarket(marketId);
        settlement.registerMarket(marketId, CLOSE, 0, 0);
        assertEq(settlement.settlesUntil(marketId), START + 120, "settles until");
        assertEq(settlement.tokenIdOf(marketId, YES), ids[YES], "YES id");
        assertEq(settlement.tokenIdOf(marketId, NO), ids[NO], "NO id");
    }

    function test_aMarketRegisteredAfterItsResultIsClosedAtOnce() public {
        shares.prepareCondition(address(this), "late", 2);
        bytes32 late = shares.getConditionId(address(this), "late", 2);
        uint256[] memory payouts = new uint256[](2);
        payouts[1] = 1;
        shares.reportPayouts("late", payouts);
        (uint256 yes,) = settlement.registerMarket(late, CLOSE, 0, 0);
        assertEq(settlement.settlesUntil(late), START + 120, "settles until");
        assertEq(settlement.tokenIdOf(late, YES), yes, "id");
    }

    // ---------------------------------------------------------------- after the expiration

    function test_nothingSettlesLaterThanTheGraceAfterTheExpiration() public {
        openMarket("soon", uint64(START + 1 hours));
        assertEq(settlement.settlesUntil(marketId), START + 1 hours + GRACE, "settles until");
        vm.warp(START + 1 hours + GRACE);
        putLastingTrade(0);
        expectCode(FillCodes.SETTLED);
        vm.warp(START + 1 hours + GRACE + 1);
        putLastingTrade(1);
        expectCode(FillCodes.MARKET_ENDED);
        assertEq(filledOf(BUYER, 1) + filledOf(SELLER, 1), 0, "counters");
    }

    function test_aPausedMarketSettlesNothingAndOthersGoOn() public {
        bytes32 other = marketId;
        openMarket("soon", uint64(START + 1 hours));
        settlement.setMarketPaused(marketId, true);
        settlement.setMarketPaused(marketId, true);
        putLastingTrade(1);
        expectCode(FillCodes.MARKET_PAUSED);
        assertEq(filledOf(BUYER, 1) + filledOf(SELLER, 1), 0, "counters");
        settlement.setMarketPaused(marketId, false);
        putLastingTrade(1);
        expectCode(FillCodes.SETTLED);
        settlement.setMarketPaused(marketId, true);
        marketId = other;
        putLastingTrade(2);
        expectCode(FillCodes.SETTLED);
    }

    function test_aPauseOutlastsTheResultAndNotTheEnd() public {
        openMarket("soon", uint64(START + 1 hours));
        settlement.setMarketPaused(marketId, true);
        report("soon");
        settlement.closeMarket(marketId);
        assertEq(settlement.settlesUntil(marketId), block.timestamp + settlement.RESOLUTION_GRACE(), "settles until");
        putLastingTrade(0);
        expectCode(FillCodes.MARKET_PAUSED);
        vm.warp(block.timestamp + settlement.RESOLUTION_GRACE() + 1);
        putLastingTrade(0);
        expectCode(FillCodes.MARKET_RESOLVED);
    }

    function test_aPauserStopsAMarketAndOnlyTheOwnerStartsIt() public {
        settlement.grantRole(settlement.PAUSER_ROLE(), address(0x9a));
        vm.startPrank(address(0x9a));
        settlement.setMarketPaused(marketId, true);
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.setMarketPaused(marketId, false);
        vm.stopPrank();
        bytes memory refusal =
            abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, settlement.PAUSER_ROLE(), address(0x9b));
        vm.prank(address(0x9b));
        vm.expectRevert(refusal);
        settlement.setMarketPaused(marketId, true);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.MarketNotRegistered.selector, bytes32("nobody's")));
        settlement.setMarketPaused("nobody's", true);
    }

    function test_aResultNeverPutsOffTheEnd() public {
        openMarket("soon", uint64(START + 1 hours));
        vm.warp(START + 1 hours + GRACE - 60);
        report("soon");
        settlement.closeMarket(marketId);
        assertEq(settlement.settlesUntil(marketId), START + 1 hours + GRACE, "settles until");
        vm.warp(START + 1 hours + GRACE + 1);
        putLastingTrade(0);
        expectCode(FillCodes.MARKET_RESOLVED);
    }

    function test_anExpirationNearTheLargestNumberDoesNotWrapAround() public {
        openMarket("never", type(uint64).max - 1);
        assertEq(settlement.settlesUntil(marketId), type(uint64).max, "settles until");
        putLastingTrade(0);
        expectCode(FillCodes.SETTLED);
    }

    function test_onlyARegistrarNamesAnExpirationAndOnlyOnce() public {
        shares.prepareCondition(address(this), "soon", 2);
        bytes32 soon = shares.getConditionId(address(this), "soon", 2);
        bytes32 role = settlement.REGISTRAR_ROLE();
        vm.prank(buyer);
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, buyer));
        settlement.registerMarket(soon, type(uint64).max, 0, 0);
        settlement.registerMarket(soon, uint64(START + 1 hours), 0, 0);
        settlement.registerMarket(soon, type(uint64).max, 0, 0);
        assertEq(settlement.settlesUntil(soon), START + 1 hours + GRACE, "settles until");
    }

    function openMarket(bytes32 questionId, uint64 expiration) private {
        shares.prepareCondition(address(this), questionId, 2);
        marketId = shares.getConditionId(address(this), questionId, 2);
        (ids[YES], ids[NO]) = settlement.registerMarket(marketId, expiration, 0, 0);
    }

    /// @dev The orders outlive the market.
    function putLastingTrade(uint64 nonce) private {
        Order memory buy = newOrder(BUYER, BUY, 500_000, 10e6, nonce);
        Order memory sell = newOrder(SELLER, SELL, 500_000, 10e6, nonce);
        (buy.expiration, sell.expiration) = (uint64(START + 2 days), uint64(START + 2 days));
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, 500_000, 10e6);
    }

    function resolve() private {
        report("question");
    }

    function report(bytes32 questionId) private {
        uint256[] memory payouts = new uint256[](2);
        payouts[0] = 1;
        shares.reportPayouts(questionId, payouts);
    }
}
