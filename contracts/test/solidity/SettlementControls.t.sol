// Time and power: grace, delayed cancels, pausing, roles and the two-step handover.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../../src/interfaces/IConditionalTokens.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {Production} from "./Production.sol";
import {TwoTraders} from "./TwoTraders.sol";
import {vm} from "./Vm.sol";

contract SettlementControlsTest is TwoTraders {
    uint64 private constant SIZE = 10e6;

    function putPart(uint64 nonce, uint64 size) private {
        put(BUYER, BUY, 500_000, SIZE, nonce);
        put(SELLER, SELL, 500_000, SIZE, nonce);
        putFill(0, 1, 500_000, size);
    }

    // ---------------------------------------------------------------- grace

    function test_anExpiredOrderSettlesUntilTheEndOfItsGrace() public {
        uint256 last = START + 1 hours + GRACE;
        vm.warp(last);
        putPart(0, 1e6);
        expectCode(FillCodes.SETTLED);
        vm.warp(last + 1);
        putPart(0, 1e6);
        expectCode(FillCodes.BUYER_EXPIRED);
    }

    function test_theSellersGraceEndsOnItsOwn() public {
        put(BUYER, BUY, 500_000, SIZE, 0);
        Order memory sell = newOrder(SELLER, SELL, 500_000, SIZE, 0);
        sell.expiration = uint64(START);
        put(SELLER, sell);
        putFill(0, 1, 500_000, SIZE);
        vm.warp(START + GRACE + 1);
        expectCode(FillCodes.SELLER_EXPIRED);
    }

    function test_theFarthestExpirationDoesNotOverflow() public {
        Order memory buy = newOrder(BUYER, BUY, 500_000, SIZE, 0);
        buy.expiration = type(uint64).max;
        put(BUYER, buy);
        put(SELLER, SELL, 500_000, SIZE, 0);
        putFill(0, 1, 500_000, SIZE);
        expectCode(FillCodes.SETTLED);
    }

    function test_aGraceOfMoreThanAnHourIsRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.GraceTooLong.selector, 1 hours + 1));
        Production.deploySettlement(address(this), address(usd), address(shares), 1 hours + 1);
    }

    // ---------------------------------------------------------------- cancels

    function test_aCancelTakesEffectAfterTheGrace() public {
        vm.warp(START);
        vm.prank(buyer);
        settlement.requestCancel(marketId, 0);
        assertEq(settlement.cancelEffectiveAfter(buyer, marketId, 0), START + GRACE, "effective after");
        vm.warp(START + GRACE);
        putPart(0, 1e6);
        expectCode(FillCodes.SETTLED);
        assertEq(filledOf(BUYER, 0), 1e6, "still counted");
        vm.warp(START + GRACE + 1);
        putPart(0, 1e6);
        expectCode(FillCodes.BUYER_CANCELLED);
        assertEq(filledOf(BUYER, 0), 1e6, "counter after the refusal");
    }

    function test_theSellersCancelIsTheSellersCode() public {
        vm.prank(seller);
        settlement.requestCancel(marketId, 0);
        vm.warp(START + GRACE + 1);
        putPart(0, 1e6);
        expectCode(FillCodes.SELLER_CANCELLED);
        assertEq(filledOf(BUYER, 0), 0, "the buyer's counter is restored");
    }

    function test_aCancelLeavesTheThreeNeighboursAndOtherMarketsAlone() public {
        vm.prank(buyer);
        settlement.requestCancel(marketId, 1);
        vm.warp(START + GRACE + 1);
        for (uint64 nonce; nonce < 4; ++nonce) {
            putPart(nonce, SIZE);
            expectCode(nonce == 1 ? FillCodes.BUYER_CANCELLED : FillCodes.SETTLED);
        }
        assertEq(settlement.cancelEffectiveAfter(buyer, keccak256("another"), 1), 0, "another market");
    }

    function test_aCancelOfAPartlyFilledOrderKeepsItsCount() public {
        putPart(2, 3e6);
        expectCode(FillCodes.SETTLED);
        vm.prank(buyer);
        settlement.requestCancel(marketId, 2);
        assertEq(filledOf(BUYER, 2), 3e6, "count");
    }

    function test_aSecondRequestChangesNothing() public {
        vm.prank(buyer);
        settlement.requestCancel(marketId, 0);
        vm.warp(START + 10);
        vm.prank(buyer);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.CancelAlreadyRequested.selector, START + GRACE));
        settlement.requestCancel(marketId, 0);
    }

    function test_aStrangersCancelIsHisOwn() public {
        vm.prank(address(0xbad));
        settlement.requestCancel(marketId, 0);
        vm.warp(START + GRACE + 1);
        putPart(0, SIZE);
        expectCode(FillCodes.SETTLED);
    }

    // ---------------------------------------------------------------- pause, roles, ownership

    function test_aPausedSettlementSettlesNothingButStillTakesCancels() public {
        settlement.pause();
        putPart(0, SIZE);
        sendExpecting(abi.encodeWithSelector(IPresageSettlement.SettlementPaused.selector));
        vm.prank(buyer);
        settlement.requestCancel(marketId, 3);
        settlement.unpause();
        expectCode(FillCodes.SETTLED);
    }

    function test_aPauserStopsButDoesNotStart() public {
        bytes32 role = settlement.PAUSER_ROLE();
        settlement.grantRole(role, address(0x9a));
        vm.startPrank(address(0x9a));
        settlement.pause();
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.unpause();
        vm.stopPrank();
        require(settlement.paused(), "paused");
        settlement.revokeRole(role, address(0x9a));
        vm.prank(address(0x9a));
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(0x9a)));
        settlement.pause();
    }

    function test_nobodyElsePausesNotEvenTheOperator() public {
        bytes32 role = settlement.PAUSER_ROLE();
        vm.startPrank(address(0xbad));
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(0xbad)));
        settlement.pause();
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.unpause();
        vm.stopPrank();
        settlement.transferOwnership(address(0x4e1));
        vm.prank(address(0x4e1));
        settlement.acceptOwnership();
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(this)));
        settlement.pause();
    }

    function test_theOperatorChangesOnlyWhenTheHeirAccepts() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        address heir = address(0x4e1);
        settlement.grantRole(role, heir);
        require(settlement.hasRole(role, address(this)) && !settlement.hasRole(role, heir), "still the old one");
        require(settlement.pendingOperator() == heir, "offered");
        vm.prank(address(0xbad));
        vm.expectRevert(IPresageSettlement.NotPendingOperator.selector);
        settlement.acceptOperator();
        vm.prank(heir);
        settlement.acceptOperator();
        require(settlement.operator() == heir && settlement.hasRole(role, heir), "the new one");
        require(!settlement.hasRole(role, address(this)) && settlement.pendingOperator() == address(0), "not the old");
        putPart(0, SIZE);
        sendExpecting(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(this)));
    }

    function test_anOfferOfTheOperatorsOfficeCanBeTakenBack() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        settlement.grantRole(role, address(0x4e1));
        settlement.revokeRole(role, address(0x4e1));
        require(settlement.operator() == address(this), "still the old one");
        vm.prank(address(0x4e1));
        vm.expectRevert(IPresageSettlement.NotPendingOperator.selector);
        settlement.acceptOperator();
    }

    function test_nobodyIsTheOperatorAfterARevocation() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        settlement.revokeRole(role, address(this));
        require(settlement.operator() == address(0) && !settlement.hasRole(role, address(0)), "nobody");
    }

    function test_handingOverTheOperatorKeepsThePauseAndTheHalts() public {
        vm.prank(buyer);
        settlement.haltTrading();
        settlement.pause();
        settlement.grantRole(settlement.OPERATOR_ROLE(), address(0x4e1));
        vm.prank(address(0x4e1));
        settlement.acceptOperator();
        require(settlement.paused(), "paused");
        settlement.unpause();
        settlement.revokeRole(settlement.OPERATOR_ROLE(), address(0x4e1));
        settlement.grantRole(settlement.OPERATOR_ROLE(), address(this));
        vm.warp(START + GRACE + 1);
        putPart(0, SIZE);
        expectCode(FillCodes.BUYER_HALTED);
    }

    function test_onlyAnOperatorSettles() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        settlement.revokeRole(role, address(this));
        putPart(0, SIZE);
        sendExpecting(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(this)));
        settlement.grantRole(role, address(this));
        expectCode(FillCodes.SETTLED);
    }

    function test_onlyTheOwnerGivesAndTakesRoles() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        vm.startPrank(address(0xbad));
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.grantRole(role, address(0xbad));
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.revokeRole(role, address(this));
        vm.stopPrank();
    }

    function test_ownershipChangesOnlyWhenTheHeirAccepts() public {
        address heir = address(0x4e1);
        settlement.transferOwnership(heir);
        require(settlement.owner() == address(this), "still the old owner");
        vm.prank(address(0xbad));
        vm.expectRevert(IOwnedRoles.NotPendingOwner.selector);
        settlement.acceptOwnership();
        vm.prank(heir);
        settlement.acceptOwnership();
        require(settlement.owner() == heir && settlement.pendingOwner() == address(0), "handed over");
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        settlement.unpause();
    }

    function test_anOfferCanBeWithdrawn() public {
        settlement.transferOwnership(address(0x4e1));
        settlement.transferOwnership(address(0));
        vm.prank(address(0x4e1));
        vm.expectRevert(IOwnedRoles.NotPendingOwner.selector);
        settlement.acceptOwnership();
    }

    function test_aBatchHoldsAtMostAHundredFills() public {
        put(BUYER, BUY, 500_000, SIZE, 0);
        put(SELLER, SELL, 500_000, SIZE, 0);
        for (uint256 i; i < 101; ++i) {
            putFill(0, 1, 500_000, 1);
        }
        sendExpecting(abi.encodeWithSelector(IPresageSettlement.TooManyFills.selector, 101));
        batchFills.pop();
        send();
        assertEq(filledOf(BUYER, 0), 100, "all hundred settled");
    }

    function test_onlyABinaryMarketCanBeRegistered() public {
        shares.prepareCondition(address(this), "three", 3);
        bytes32 threeWay = shares.getConditionId(address(this), "three", 3);
        vm.expectRevert(IConditionalTokens.ConditionNotPrepared.selector);
        settlement.registerMarket(threeWay, CLOSE, 0, 0);
        vm.expectRevert(IConditionalTokens.ConditionNotPrepared.selector);
        settlement.registerMarket(keccak256("never prepared"), CLOSE, 0, 0);
    }

    function test_registeringTwiceGivesTheSameIds() public {
        (uint256 yes, uint256 no) = settlement.registerMarket(marketId, CLOSE, 0, 0);
        require(yes == ids[YES] && no == ids[NO] && yes != no, "ids");
        require(settlement.tokenIdOf(marketId, 0) == yes && settlement.tokenIdOf(marketId, 1) == no, "views");
    }
}
