// From expiration to payouts: proposals with bonds, windows, disputes, rejections, and an oracle that nothing holds up.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus, Resolution} from "../../src/interfaces/IMarket.sol";
import {BondPayment} from "../../src/interfaces/ISignedProposals.sol";
import {IResolution} from "../../src/interfaces/IResolution.sol";
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
        bytes32 id = proposeOwn(yes ? YES : NO);
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
        bytes32 id = propose(PROPOSER, NO, payment);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory log = logs[logs.length - 1];
        require(log.emitter == address(market), "emitter");
        require(log.topics[0] == IResolution.ResolutionProposed.selector && log.topics[1] == id, "event");
        require(log.topics[2] == toTopic(vm.addr(PROPOSER)) && log.topics[3] == toTopic(vm.addr(SPONSOR)), "people");
        require(keccak256(log.data) == keccak256(abi.encode(NO, uint32(1), EXPIRATION + WINDOW)), "data");
    }

    function test_noProposalComesBeforeTheExpiration() public {
        vm.warp(EXPIRATION - 1);
        BondPayment memory payment = permitOf(PROPOSER);
        refuse(payment, YES, abi.encodeWithSelector(IResolution.MarketNotExpired.selector));
        vm.warp(EXPIRATION);
        proposeOwn(YES);
    }

    function test_oneAssertionOfAnOutcomeIsUnderWayAtATime() public {
        bytes32 id = proposeOwn(YES);
        usd.mint(vm.addr(PROPOSER), BOND);
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.AssertionUnderWay.selector, id));
    }

    function test_nothingIsProposedOnceResolved() public {
        proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        BondPayment memory payment = permitOf(PROPOSER);
        bytes memory resolved = abi.encodeWithSelector(IResolution.MarketAlreadyResolved.selector);
        refuse(payment, NO, resolved);
        vm.expectRevert(resolved);
        market.settle();
    }

    function test_settlingEarlyIsRefused() public {
        vm.expectRevert(IResolution.NoAssertion.selector);
        market.settle();
        proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW - 1);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.WindowStillOpen.selector, EXPIRATION + WINDOW));
        market.settle();
    }

    function testFuzz_aProposalIsTheSignersAlone(uint256 thief, bool yes) public {
        thief = 1 + thief % 1e30;
        vm.assume(vm.addr(thief) != vm.addr(PROPOSER));
        (uint8 said, uint8 other) = yes ? (YES, NO) : (NO, YES);
        BondPayment memory payment = permitOf(PROPOSER);
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signProposal(thief, said, vm.addr(PROPOSER), deadline);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), said, deadline, v, r, s, payment);
        (v, r, s) = signOwnProposal(PROPOSER, said, deadline);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), other, deadline, v, r, s, payment);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), HALF, deadline, v, r, s, payment);
        vm.warp(deadline + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), said, deadline, v, r, s, payment);
    }

    /// @dev Whoever counts on a sponsor cannot be made to pay, and whoever pays cannot be outbid for the reward.
    function testFuzz_aProposalNamesWhoPays(bool sponsored) public {
        vm.prank(vm.addr(PROPOSER));
        usd.approve(address(market), type(uint256).max);
        vm.prank(vm.addr(SPONSOR));
        usd.approve(address(market), type(uint256).max);
        uint256 deadline = block.timestamp + 1 hours;
        address signer = vm.addr(PROPOSER);
        (uint8 v, bytes32 r, bytes32 s) = signProposal(PROPOSER, YES, sponsored ? address(0) : signer, deadline);
        address another = sponsored ? signer : vm.addr(SPONSOR);
        vm.prank(another);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(signer, YES, deadline, v, r, s, noPermit(another));
        address meant = sponsored ? vm.addr(SPONSOR) : signer;
        vm.prank(meant);
        market.proposeResolutionBySig(signer, YES, deadline, v, r, s, noPermit(meant));
        assertEq(usd.balanceOf(meant), 0, "payer");
        assertEq(usd.balanceOf(another), BOND, "not the payer");
    }

    function testFuzz_whoeverHasASponsorMaySignTheShortForm(bool yes) public {
        (uint8 outcome, uint256 deadline) = (yes ? YES : NO, block.timestamp + 1 hours);
        (uint8 v, bytes32 r, bytes32 s) = signShort(outcome, deadline);
        BondPayment memory payment = permitOf(SPONSOR);
        vm.prank(vm.addr(SPONSOR));
        market.proposeResolutionBySig(vm.addr(PROPOSER), outcome, deadline, v, r, s, payment);
        require(market.nonces(vm.addr(PROPOSER)) == 1, "used once");
        require(market.resolution().proposer == vm.addr(PROPOSER), "proposer");
    }

    function test_theShortFormDrawsNothingFromItsSigner() public {
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signShort(YES, deadline);
        BondPayment memory own = permitOf(PROPOSER);
        vm.prank(vm.addr(PROPOSER));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, own);
        BondPayment memory sponsored = permitOf(SPONSOR);
        vm.prank(vm.addr(SPONSOR));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), HALF, deadline, v, r, s, sponsored);
        vm.warp(deadline + 1);
        vm.prank(vm.addr(SPONSOR));
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, sponsored);
    }

    function signShort(uint8 outcome, uint256 deadline) private view returns (uint8 v, bytes32 r, bytes32 s) {
        address signer = vm.addr(PROPOSER);
        bytes32 structHash = keccak256(
            abi.encode(SPONSORED_TYPEHASH, market, signer, outcome == YES, market.nonces(signer), deadline)
        );
        return signFor(PROPOSER, market.DOMAIN_SEPARATOR(), structHash);
    }

    function test_aProposalNamesItsBond() public {
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signOwnProposal(PROPOSER, YES, deadline);
        vm.mockCall(
            address(oracle), abi.encodeWithSignature("getMinimumBond(address)", address(usd)), abi.encode(BOND + 1)
        );
        usd.mint(vm.addr(PROPOSER), 1);
        BondPayment memory payment = permitOf(PROPOSER);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, payment);
    }

    function test_aProposalNamesItsRound() public {
        usd.mint(vm.addr(PROPOSER), BOND);
        vm.prank(vm.addr(PROPOSER));
        usd.approve(address(market), 2 * BOND);
        uint256 deadline = block.timestamp + 1 days;
        (uint8 v, bytes32 r, bytes32 s) = signOwnProposal(PROPOSER, YES, deadline);
        bytes32 id = propose(SPONSOR, NO, permitOf(SPONSOR));
        dispute(id);
        arbitrate(id, false);
        BondPayment memory payment = noPermit(vm.addr(PROPOSER));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, payment);
    }

    function test_aSignatureProposesOnce() public {
        uint256 deadline = block.timestamp + 10 days;
        (uint8 v, bytes32 r, bytes32 s) = signOwnProposal(PROPOSER, YES, deadline);
        bytes32 id = market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, permitOf(PROPOSER));
        dispute(id);
        arbitrate(id, false);
        usd.mint(vm.addr(PROPOSER), BOND);
        BondPayment memory payment = permitOf(PROPOSER);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, payment);
    }

    // ---------------------------------------------------------------- disputes

    function testFuzz_anUpheldDisputeResolvesAtOnceAndPaysTheProposer(bool yes) public {
        bytes32 id = proposeOwn(yes ? YES : NO);
        dispute(id);
        require(market.status() == MarketStatus.Disputed && market.resolution().disputed, "disputed");
        arbitrate(id, true);
        require(market.status() == MarketStatus.Resolved, "resolved");
        requirePayouts(yes ? YES : NO);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), 2 * BOND, "winner");
        assertEq(usd.balanceOf(vm.addr(DISPUTER)), 0, "loser");
    }

    function testFuzz_aRejectedProposalOpensTheMarketToAnyOther(bool yes, bool again) public {
        bytes32 id = proposeOwn(yes ? YES : NO);
        dispute(id);
        arbitrate(id, false);
        require(market.status() == MarketStatus.Expired, "expired again");
        Resolution memory none = market.resolution();
        require(none.assertionId == 0 && none.proposer == address(0) && !none.disputed && !none.resolved, "none");
        assertEq(usd.balanceOf(vm.addr(DISPUTER)), 2 * BOND, "winner");
        assertEq(shares.payoutDenominator(marketId), 0, "nothing is assumed");
        usd.mint(vm.addr(PROPOSER), BOND);
        bytes32 second = proposeOwn(again ? YES : NO);
        require(second != id, "another assertion, even of the same outcome in the same second");
        assertEq(market.resolution().round, 2, "round");
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        requirePayouts(again ? YES : NO);
    }

    function test_aDisputedMarketWaitsForTheArbitrator() public {
        bytes32 id = proposeOwn(YES);
        dispute(id);
        vm.warp(EXPIRATION + 10 * WINDOW);
        vm.expectRevert(abi.encodeWithSelector(IArbitratedOracle.AwaitsArbitrator.selector, id));
        market.settle();
    }

    // ---------------------------------------------------------------- settling

    function test_whoeverSettlesAtTheOracleSettlesTheMarket() public {
        bytes32 id = proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        oracle.settleAssertion(id);
        require(market.status() == MarketStatus.Resolved, "resolved");
        vm.expectRevert(IResolution.MarketAlreadyResolved.selector);
        market.settle();
    }

    function testFuzz_aSignedSettlementNeedsTheOutcomeItNames(bool yes, uint8 named) public {
        proposeOwn(yes ? YES : NO);
        vm.warp(EXPIRATION + WINDOW);
        uint8 proposed = yes ? YES : NO;
        uint256 deadline = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = signSettling(DISPUTER, named, deadline);
        if (named != proposed) {
            vm.expectRevert(abi.encodeWithSelector(IResolution.OutcomeDiffers.selector, proposed));
        }
        market.settleBySig(vm.addr(DISPUTER), named, deadline, v, r, s);
        require((market.status() == MarketStatus.Resolved) == (named == proposed), "resolved");
    }

    function test_aSignedSettlementIsTheSignersAlone() public {
        proposeOwn(YES);
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
        vm.expectRevert(IResolution.NotOracle.selector);
        market.assertionResolvedCallback(id, truthful);
        vm.expectRevert(IResolution.NotOracle.selector);
        market.assertionDisputedCallback(id);
    }

    function testFuzz_aCallbackOfAnotherAssertionChangesNothing(bytes32 other, bool truthful) public {
        bytes32 id = proposeOwn(YES);
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
        bytes32 id = proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        vm.startPrank(address(oracle));
        market.assertionDisputedCallback(id);
        market.assertionResolvedCallback(id, false);
        market.assertionResolvedCallback(id, true);
        require(market.status() == MarketStatus.Resolved, "resolved");
        assertEq(market.bondsOf(vm.addr(PROPOSER)), 0, "a bond is credited once");
    }

    function test_aReportThatFailsHoldsUpNoOracleAndIsMadeGoodLater() public {
        bytes32 id = proposeOwn(NO);
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
        bytes32 id = proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        try oracle.settleAssertion{gas: 20_000 + gas % 1_000_000}(id) {} catch {}
        if (market.status() != MarketStatus.Resolved) market.settle();
        if (usd.balanceOf(address(market)) != 0) market.returnBond(vm.addr(PROPOSER));
        requirePayouts(YES);
        uint256 end = EXPIRATION + GRACE;
        assertEq(settlement.settlesUntil(marketId), end < block.timestamp + 120 ? end : block.timestamp + 120, "trading ends");
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "bond");
    }

    // ---------------------------------------------------------------- a market always ends

    function test_anAnswerOfNeitherPaysBothOneHalf() public {
        proposeOwn(HALF);
        assertEq(market.resolution().proposedOutcome, HALF, "proposed");
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        requireHalves();
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "bond");
    }

    function testFuzz_anyOtherAnswerIsRefused(uint8 outcome) public {
        vm.assume(outcome > HALF);
        BondPayment memory payment = permitOf(PROPOSER);
        refuse(payment, outcome, abi.encodeWithSelector(IResolution.NoSuchOutcome.selector, outcome));
    }

    function test_anyoneVoidsAMarketThatNobodyResolved() public {
        vm.warp(EXPIRATION + VOID_DELAY - 1);
        vm.expectRevert(abi.encodeWithSelector(IResolution.TooEarlyToVoid.selector, EXPIRATION + VOID_DELAY));
        market.void();
        vm.warp(EXPIRATION + VOID_DELAY);
        vm.prank(address(0xbad));
        market.void();
        requireHalves();
        require(market.status() == MarketStatus.Resolved && market.resolution().resolved, "resolved");
        vm.expectRevert(IResolution.MarketAlreadyResolved.selector);
        market.void();
    }

    function test_aProposalHasAllTheTimeOfItsOwn() public {
        vm.warp(EXPIRATION + VOID_DELAY - 1);
        bytes32 id = proposeOwn(YES);
        dispute(id);
        uint64 from = uint64(block.timestamp) + VOID_DELAY;
        assertEq(market.voidableFrom(), from, "voidable from");
        vm.warp(block.timestamp + oracle.RETURN_DELAY() - 1);
        vm.expectRevert(abi.encodeWithSelector(IResolution.TooEarlyToVoid.selector, from));
        market.void();
    }

    function test_whatTheOracleDecidedIsReportedInPlaceOfAHalf() public {
        bytes32 id = proposeOwn(NO);
        vm.warp(EXPIRATION + WINDOW);
        bytes memory sound = address(shares).code;
        vm.etch(address(shares), address(new Refuser()).code);
        oracle.settleAssertion(id);
        vm.etch(address(shares), sound);
        vm.warp(EXPIRATION + VOID_DELAY);
        market.void();
        requirePayouts(NO);
    }

    function test_tradingEndsTwoMinutesAfterTheResult() public {
        proposeOwn(YES);
        assertEq(settlement.settlesUntil(marketId), EXPIRATION + GRACE, "still open");
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        uint256 end = WINDOW + 120 < GRACE ? WINDOW + 120 : GRACE;
        assertEq(settlement.settlesUntil(marketId), EXPIRATION + end, "settles until");
    }

    function test_onlyTheMarketReportsForItself() public {
        vm.expectRevert(IResolution.OnlySelf.selector);
        market.reportResult(YES);
    }

    // ---------------------------------------------------------------- a payer who cannot be paid

    function test_aPayerWhomTheTokenRefusesHoldsUpNothing() public {
        bytes32 id = proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        address payer = vm.addr(PROPOSER);
        bytes memory payment = abi.encodeWithSignature("transfer(address,uint256)", payer, BOND);
        vm.mockCall(address(usd), payment, abi.encode(false));
        oracle.settleAssertion(id);
        requirePayouts(YES);
        assertEq(usd.balanceOf(address(market)), BOND, "it waits");
        vm.expectRevert(abi.encodeWithSelector(IResolution.NoBond.selector, address(this)));
        market.withdrawBond(address(0xbad));
        assertEq(market.bondsOf(payer), BOND, "kept");
        vm.prank(payer);
        market.withdrawBond(address(0x5afe));
        assertEq(usd.balanceOf(address(0x5afe)), BOND, "withdrawn");
    }

    function test_anyoneSendsABondThatWaits() public {
        address payer = vm.addr(PROPOSER);
        vm.expectRevert(abi.encodeWithSelector(IResolution.NoBond.selector, payer));
        market.returnBond(payer);
        bytes32 id = proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        bytes memory payment = abi.encodeWithSignature("transfer(address,uint256)", payer, BOND);
        vm.mockCall(address(usd), payment, abi.encode(false));
        oracle.settleAssertion(id);
        vm.clearMockedCalls();
        market.returnBond(payer);
        assertEq(usd.balanceOf(payer), BOND, "to whoever paid");
        vm.expectRevert(abi.encodeWithSelector(IResolution.NoBond.selector, payer));
        market.returnBond(payer);
    }

    // ----------------------------------------------------------------

    function requireHalves() private view {
        assertEq(shares.payoutDenominator(marketId), 2, "denominator");
        assertEq(shares.payoutNumerators(marketId, YES), 1, "YES");
        assertEq(shares.payoutNumerators(marketId, NO), 1, "NO");
    }

    function requirePayouts(uint8 winner) private view {
        assertEq(shares.payoutDenominator(marketId), 1, "denominator");
        assertEq(shares.payoutNumerators(marketId, winner), 1, "winner");
        assertEq(shares.payoutNumerators(marketId, 1 - winner), 0, "loser");
    }

    function toTopic(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
