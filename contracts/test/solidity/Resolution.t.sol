// From expiration to payouts: proposals with bonds, windows, disputes, rejections, and an oracle that nothing holds up.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus, Resolution} from "../../src/interfaces/IMarket.sol";
import {BondPayment, IMarketResolution} from "../../src/interfaces/IMarketResolution.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {IArbitratedOracle} from "../../src/interfaces/IArbitratedOracle.sol";
import {ResolutionFixture} from "./ResolutionFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract Refuser {
    fallback() external {
        revert("refused");
    }
}

contract ResolutionTest is ResolutionFixture {
    function setUp() public override {
        super.setUp();
        vm.warp(EXPIRATION);
    }

    function testFuzz_anUndisputedProposalResolvesTheMarketAndReturnsTheBond(bool yes) public {
        bytes32 id = proposeOwn(yes);
        Resolution memory now_ = market.resolution();
        require(now_.assertionId == id && now_.proposer == vm.addr(PROPOSER) && !now_.disputed, "resolution");
        assertEq(now_.round, 1, "round");
        assertEq(now_.proposedOutcome, yes ? YES : NO, "outcome");
        require(market.status() == MarketStatus.Proposed, "proposed");
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), 0, "the bond is out");
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        require(market.status() == MarketStatus.Resolved && market.resolution().resolved, "resolved");
        requirePayouts(yes ? YES : NO);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "the bond is back");
        assertEq(usd.balanceOf(address(oracle)) + usd.balanceOf(address(market)), 0, "nothing stays");
    }

    function test_aProposalTellsWhoSignedWhoPaidAndUntilWhen() public {
        vm.recordLogs();
        BondPayment memory payment = permitOf(SPONSOR);
        bytes32 id = propose(PROPOSER, false, payment);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory log = logs[logs.length - 1];
        require(log.emitter == address(market), "emitter");
        require(log.topics[0] == IMarketResolution.ResolutionProposed.selector && log.topics[1] == id, "event");
        require(log.topics[2] == toTopic(vm.addr(PROPOSER)) && log.topics[3] == toTopic(vm.addr(SPONSOR)), "people");
        require(keccak256(log.data) == keccak256(abi.encode(NO, uint32(1), EXPIRATION + WINDOW)), "data");
    }

    function test_noProposalComesBeforeTheExpiration() public {
        vm.warp(EXPIRATION - 1);
        BondPayment memory payment = permitOf(PROPOSER);
        refuse(payment, true, abi.encodeWithSelector(IMarketResolution.MarketNotExpired.selector));
        vm.warp(EXPIRATION);
        proposeOwn(true);
    }

    function test_oneAssertionIsUnderWayAtATime() public {
        bytes32 id = proposeOwn(true);
        usd.mint(vm.addr(PROPOSER), BOND);
        refuse(permitOf(PROPOSER), false, abi.encodeWithSelector(IMarketResolution.AssertionUnderWay.selector, id));
    }

    function test_nothingIsProposedOnceResolved() public {
        proposeOwn(true);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        BondPayment memory payment = permitOf(PROPOSER);
        bytes memory resolved = abi.encodeWithSelector(IMarketResolution.MarketAlreadyResolved.selector);
        refuse(payment, false, resolved);
        vm.expectRevert(resolved);
        market.settle();
    }

    function test_settlingEarlyIsRefused() public {
        vm.expectRevert(IMarketResolution.NoAssertion.selector);
        market.settle();
        proposeOwn(true);
        vm.warp(EXPIRATION + WINDOW - 1);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.WindowStillOpen.selector, EXPIRATION + WINDOW));
        market.settle();
    }

    function testFuzz_aProposalIsTheSignersAlone(uint256 thief, bool yes) public {
        thief = 1 + thief % 1e30;
        vm.assume(vm.addr(thief) != vm.addr(PROPOSER));
        BondPayment memory payment = permitOf(PROPOSER);
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signProposal(thief, yes, deadline);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), yes, deadline, v, r, s, payment);
        (v, r, s) = signProposal(PROPOSER, yes, deadline);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), !yes, deadline, v, r, s, payment);
        vm.warp(deadline + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), yes, deadline, v, r, s, payment);
    }

    function test_aSignatureProposesOnce() public {
        uint256 deadline = block.timestamp + 10 days;
        (uint8 v, bytes32 r, bytes32 s) = signProposal(PROPOSER, true, deadline);
        bytes32 id = market.proposeResolutionBySig(vm.addr(PROPOSER), true, deadline, v, r, s, permitOf(PROPOSER));
        dispute(id);
        arbitrate(id, false);
        usd.mint(vm.addr(PROPOSER), BOND);
        BondPayment memory payment = permitOf(PROPOSER);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), true, deadline, v, r, s, payment);
    }

    // ---------------------------------------------------------------- disputes

    function testFuzz_anUpheldDisputeResolvesAtOnceAndPaysTheProposer(bool yes) public {
        bytes32 id = proposeOwn(yes);
        dispute(id);
        require(market.status() == MarketStatus.Disputed && market.resolution().disputed, "disputed");
        arbitrate(id, true);
        require(market.status() == MarketStatus.Resolved, "resolved");
        requirePayouts(yes ? YES : NO);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), 2 * BOND, "winner");
        assertEq(usd.balanceOf(vm.addr(DISPUTER)), 0, "loser");
    }

    function testFuzz_aRejectedProposalOpensTheMarketToAnyOther(bool yes, bool again) public {
        bytes32 id = proposeOwn(yes);
        dispute(id);
        arbitrate(id, false);
        require(market.status() == MarketStatus.Expired, "expired again");
        Resolution memory none = market.resolution();
        require(none.assertionId == 0 && none.proposer == address(0) && !none.disputed && !none.resolved, "none");
        assertEq(usd.balanceOf(vm.addr(DISPUTER)), 2 * BOND, "winner");
        assertEq(shares.payoutDenominator(marketId), 0, "nothing is assumed");
        usd.mint(vm.addr(PROPOSER), BOND);
        bytes32 second = proposeOwn(again);
        require(second != id, "another assertion, even of the same outcome in the same second");
        assertEq(market.resolution().round, 2, "round");
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        requirePayouts(again ? YES : NO);
    }

    function test_aDisputedMarketWaitsForTheArbitrator() public {
        bytes32 id = proposeOwn(true);
        dispute(id);
        vm.warp(EXPIRATION + 10 * WINDOW);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AwaitsArbitrator.selector, id));
        market.settle();
    }

    // ---------------------------------------------------------------- settling

    function test_whoeverSettlesAtTheOracleSettlesTheMarket() public {
        bytes32 id = proposeOwn(true);
        vm.warp(EXPIRATION + WINDOW);
        oracle.settleAssertion(id);
        require(market.status() == MarketStatus.Resolved, "resolved");
        vm.expectRevert(IMarketResolution.MarketAlreadyResolved.selector);
        market.settle();
    }

    function testFuzz_aSignedSettlementNeedsTheOutcomeItNames(bool yes, uint8 named) public {
        proposeOwn(yes);
        vm.warp(EXPIRATION + WINDOW);
        uint8 proposed = yes ? YES : NO;
        uint256 deadline = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = signSettling(DISPUTER, named, deadline);
        if (named != proposed) {
            vm.expectRevert(abi.encodeWithSelector(IMarketResolution.OutcomeDiffers.selector, proposed));
        }
        market.settleBySig(vm.addr(DISPUTER), named, deadline, v, r, s);
        require((market.status() == MarketStatus.Resolved) == (named == proposed), "resolved");
    }

    function test_aSignedSettlementIsTheSignersAlone() public {
        proposeOwn(true);
        vm.warp(EXPIRATION + WINDOW);
        uint256 deadline = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = signSettling(DISPUTER, YES, deadline);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.settleBySig(vm.addr(PROPOSER), YES, deadline, v, r, s);
        vm.warp(deadline + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        market.settleBySig(vm.addr(DISPUTER), YES, deadline, v, r, s);
    }

    // ---------------------------------------------------------------- the oracle

    function testFuzz_onlyTheOracleCallsBack(address stranger, bytes32 id, bool truthful) public {
        vm.assume(stranger != address(oracle));
        vm.startPrank(stranger);
        vm.expectRevert(IMarketResolution.NotOracle.selector);
        market.assertionResolvedCallback(id, truthful);
        vm.expectRevert(IMarketResolution.NotOracle.selector);
        market.assertionDisputedCallback(id);
    }

    function testFuzz_aCallbackOfAnotherAssertionChangesNothing(bytes32 other, bool truthful) public {
        bytes32 id = proposeOwn(true);
        vm.assume(other != id);
        bytes32 before = keccak256(abi.encode(market.resolution()));
        vm.startPrank(address(oracle));
        market.assertionDisputedCallback(other);
        market.assertionResolvedCallback(other, truthful);
        market.assertionResolvedCallback(0, truthful);
        require(keccak256(abi.encode(market.resolution())) == before, "changed");
        assertEq(shares.payoutDenominator(marketId), 0, "reported");
    }

    function test_aCallbackAfterTheResolutionChangesNothing() public {
        bytes32 id = proposeOwn(true);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        vm.startPrank(address(oracle));
        market.assertionDisputedCallback(id);
        market.assertionResolvedCallback(id, false);
        market.assertionResolvedCallback(id, true);
        require(market.status() == MarketStatus.Resolved, "resolved");
    }

    function test_aReportThatFailsHoldsUpNoOracleAndIsMadeGoodLater() public {
        bytes32 id = proposeOwn(false);
        vm.warp(EXPIRATION + WINDOW);
        bytes memory sound = address(shares).code;
        vm.etch(address(shares), address(new Refuser()).code);
        oracle.settleAssertion(id);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "the oracle has paid");
        vm.etch(address(shares), sound);
        require(market.status() == MarketStatus.Proposed && !market.resolution().resolved, "not yet");
        market.settle();
        requirePayouts(NO);
        require(market.resolution().resolved, "resolved");
    }

    /// @dev However little gas the settler gives: either nothing happened, or the market can be settled.
    function testFuzz_noGasLimitLeavesAMarketStuck(uint32 gas) public {
        bytes32 id = proposeOwn(true);
        vm.warp(EXPIRATION + WINDOW);
        try oracle.settleAssertion{gas: 20_000 + gas % 250_000}(id) {} catch {}
        if (market.status() != MarketStatus.Resolved) market.settle();
        requirePayouts(YES);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "bond");
    }

    // ----------------------------------------------------------------

    function requirePayouts(uint8 winner) private view {
        assertEq(shares.payoutDenominator(marketId), 1, "denominator");
        assertEq(shares.payoutNumerators(marketId, winner), 1, "winner");
        assertEq(shares.payoutNumerators(marketId, 1 - winner), 0, "loser");
    }

    function toTopic(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
