// Several proposals at once: none prevents another, the first that the oracle confirms decides, and every bond comes back to its payer.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus, Resolution} from "../../src/interfaces/IMarket.sol";
import {IResolution} from "../../src/interfaces/IResolution.sol";
import {ResolutionFixture} from "./ResolutionFixture.sol";
import {vm} from "./Vm.sol";

contract ProposalsTest is ResolutionFixture {
    uint256 private constant LIAR = 0x11a4;
    uint64 private constant STUCK_DELAY = 7 days;

    function setUp() public override {
        super.setUp();
        usd.mint(vm.addr(LIAR), 5 * BOND);
        vm.prank(vm.addr(LIAR));
        usd.approve(address(oracle), type(uint256).max);
        vm.warp(EXPIRATION);
    }

    function lie(uint8 outcome) private returns (bytes32) {
        return propose(LIAR, outcome, permitOf(LIAR));
    }

    /// @dev The liar disputes a claim themself, to let it wait for the arbitrator.
    function block_(bytes32 id) private {
        vm.prank(vm.addr(LIAR));
        oracle.disputeAssertion(id, vm.addr(LIAR));
    }

    /// @dev As UMA's oracle does where the token refuses the winner: settling reverts for ever.
    function jam(bytes32 id) private {
        vm.mockCallRevert(address(oracle), abi.encodeCall(oracle.settleAssertion, (id)), "refused");
    }

    // ---------------------------------------------------------------- beside each other

    function testFuzz_noProposalPreventsThoseOfOtherOutcomes(bool disputed) public {
        bytes32 no = lie(NO);
        if (disputed) block_(no);
        bytes32 half = lie(HALF);
        bytes32 yes = proposeOwn(YES);
        require(market.liveAssertion(YES) == yes && market.liveAssertion(NO) == no, "live");
        require(market.liveAssertion(HALF) == half, "live half");
        assertEq(market.resolution().round, 3, "round");
        Resolution memory next = market.resolution();
        require(next.assertionId == (disputed ? half : no), "the oldest undisputed one comes next");
        require(market.status() == MarketStatus.Proposed, "proposed");
    }

    function test_anOutcomeThatDoesNotExistHasNoAssertion() public {
        vm.expectRevert(abi.encodeWithSelector(IResolution.NoSuchOutcome.selector, 3));
        market.liveAssertion(3);
    }

    function test_theTruthIsSettledBesideALieThatWaitsForTheArbitrator() public {
        bytes32 no = lie(NO);
        block_(no);
        require(market.status() == MarketStatus.Disputed, "disputed");
        proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        requireWinner(YES);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "the bond is back");
        // What the oracle says later moves bonds only.
        uint256 before = usd.balanceOf(vm.addr(LIAR));
        arbitrate(no, false);
        assertEq(usd.balanceOf(vm.addr(LIAR)), before + 2 * BOND, "the liar's own dispute");
        requireWinner(YES);
        require(market.liveAssertion(NO) == 0, "closed");
    }

    function testFuzz_ofTwoUndisputedOutcomesTheFirstCountsWhoeverSettles(bool directly) public {
        bytes32 yes = proposeOwn(YES);
        vm.warp(EXPIRATION + 1);
        bytes32 no = lie(NO);
        vm.warp(EXPIRATION + 2 * WINDOW);
        uint256 purse = usd.balanceOf(vm.addr(LIAR));
        if (directly) {
            oracle.settleAssertion(no);
            assertEq(shares.payoutDenominator(marketId), 0, "the later one decides nothing");
            oracle.settleAssertion(yes);
        } else {
            market.settle();
        }
        requireWinner(YES);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "bond of the first");
        assertEq(usd.balanceOf(vm.addr(LIAR)), purse + BOND, "bond of the second");
    }

    function test_aVoteCountsBeforeAWindowThatRunsOutLater() public {
        bytes32 yes = proposeOwn(YES);
        dispute(yes);
        lie(NO);
        arbitrate(yes, true);
        requireWinner(YES);
    }

    function test_aSignedSettlementSettlesTheOutcomeItNames() public {
        bytes32 no = lie(NO);
        block_(no);
        proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        uint256 deadline = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = signSettling(DISPUTER, YES, deadline);
        market.settleBySig(vm.addr(DISPUTER), YES, deadline, v, r, s);
        requireWinner(YES);
    }

    function test_bondsOfSeveralPayersAreNotMixedUp() public {
        proposeOwn(YES);
        bytes32 half = lie(HALF);
        usd.mint(address(market), 7);
        vm.warp(EXPIRATION + WINDOW);
        bytes memory payment = abi.encodeWithSignature("transfer(address,uint256)", vm.addr(PROPOSER), BOND + 7);
        vm.mockCall(address(usd), payment, abi.encode(false));
        uint256 before = usd.balanceOf(vm.addr(LIAR));
        market.settle();
        assertEq(market.bondsOf(vm.addr(PROPOSER)), BOND + 7, "kept for the first");
        require(oracle.getAssertion(half).settled, "both are settled");
        assertEq(usd.balanceOf(vm.addr(LIAR)), before + BOND, "the second has their own");
        vm.clearMockedCalls();
        market.returnBond(vm.addr(PROPOSER));
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND + 7, "the first too");
    }

    // ---------------------------------------------------------------- sponsors

    function test_aSponsorHasOneBondInAMarketAtATime() public {
        usd.mint(vm.addr(SPONSOR), BOND);
        bytes32 id = propose(PROPOSER, YES, permitOf(SPONSOR));
        refuse(permitOf(SPONSOR), NO, abi.encodeWithSelector(IResolution.AssertionUnderWay.selector, id));
        lie(NO);
    }

    function test_somebodysOwnBondPreventsNoSponsor() public {
        lie(NO);
        propose(PROPOSER, YES, permitOf(SPONSOR));
    }

    // ---------------------------------------------------------------- stuck

    function test_aStuckAssertionFreesItsOutcomeAfterItsTime() public {
        bytes32 early = lie(YES);
        block_(early);
        jam(early);
        vm.warp(EXPIRATION + STUCK_DELAY - 1);
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.AssertionUnderWay.selector, early));
        vm.warp(EXPIRATION + STUCK_DELAY);
        bytes32 yes = proposeOwn(YES);
        require(market.liveAssertion(YES) == yes, "replaced");
        vm.warp(EXPIRATION + STUCK_DELAY + WINDOW);
        market.settle();
        requireWinner(YES);
    }

    function test_anUndisputedStuckAssertionFreesItsOutcomeAfterItsWindow() public {
        bytes32 first = lie(YES);
        jam(first);
        vm.warp(EXPIRATION + WINDOW - 1);
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.AssertionUnderWay.selector, first));
        vm.warp(EXPIRATION + WINDOW);
        proposeOwn(YES);
    }

    function test_aStuckAssertionThatSettlesAfterAllCounts() public {
        bytes32 first = lie(YES);
        block_(first);
        jam(first);
        vm.warp(EXPIRATION + STUCK_DELAY);
        proposeOwn(YES);
        vm.clearMockedCalls();
        uint256 before = usd.balanceOf(vm.addr(LIAR));
        arbitrate(first, true);
        requireWinner(YES);
        assertEq(usd.balanceOf(vm.addr(LIAR)), before + 2 * BOND, "paid to whoever paid");
    }

    function test_aStuckSponsoredAssertionFreesTheSponsor() public {
        usd.mint(vm.addr(SPONSOR), BOND);
        bytes32 first = propose(PROPOSER, YES, permitOf(SPONSOR));
        dispute(first);
        jam(first);
        vm.warp(EXPIRATION + STUCK_DELAY);
        propose(PROPOSER, NO, permitOf(SPONSOR));
    }

    function test_whatCanBeSettledIsSettledBeforeAProposal() public {
        lie(NO);
        vm.warp(EXPIRATION + WINDOW);
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.MarketAlreadyResolved.selector));
    }

    /// @dev However little gas there is, an assertion is not taken for stuck because of it.
    function testFuzz_tooLittleGasMakesNothingStuck(uint32 gas) public {
        bytes32 first = lie(YES);
        vm.warp(EXPIRATION + WINDOW);
        uint256 deadline = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = signOwnProposal(PROPOSER, YES, deadline);
        vm.prank(vm.addr(PROPOSER));
        usd.approve(address(market), BOND);
        uint256 limit = 100_000 + gas % 3_000_000;
        address signer = vm.addr(PROPOSER);
        try market.proposeResolutionBySig{gas: limit}(signer, YES, deadline, v, r, s, noPermit(signer)) {
            revert("a second assertion was made");
        } catch {}
        require(market.liveAssertion(YES) == first, "still live");
    }

    /// @dev However little gas there is, nobody gets a half while a true assertion can be settled.
    function testFuzz_tooLittleGasMakesNoHalf(uint32 gas) public {
        proposeOwn(YES);
        vm.warp(EXPIRATION + 2 * VOID_DELAY);
        try market.void{gas: 50_000 + gas % 1_500_000}() {
            requireWinner(YES);
        } catch {
            assertEq(shares.payoutDenominator(marketId), 0, "nothing is reported");
        }
    }

    /// @dev An oracle that notices in time that it lacks gas leaves enough of it to report a half.
    function test_anOracleThatLacksGasMakesNoHalf() public {
        proposeOwn(YES);
        vm.warp(EXPIRATION + 2 * VOID_DELAY);
        for (uint256 gas = 100_000; gas < 1_500_000; gas += 5_000) {
            try market.void{gas: gas}() {
                return requireWinner(YES);
            } catch {}
        }
        revert("never settled");
    }

    // ---------------------------------------------------------------- voiding

    function test_aRejectionStartsTheClockAnew() public {
        vm.warp(EXPIRATION + VOID_DELAY - 1);
        bytes32 no = lie(NO);
        block_(no);
        vm.warp(EXPIRATION + VOID_DELAY + 1 days);
        arbitrate(no, false);
        uint64 from = EXPIRATION + VOID_DELAY + 1 days + VOID_DELAY;
        assertEq(market.voidableFrom(), from, "from the rejection");
        vm.warp(from - 1);
        vm.expectRevert(abi.encodeWithSelector(IResolution.TooEarlyToVoid.selector, from));
        market.void();
        vm.warp(from);
        market.void();
        requireHalves();
    }

    function test_aTrueProposalThatNobodySettledWinsOverAHalf() public {
        bytes32 no = lie(NO);
        block_(no);
        proposeOwn(YES);
        vm.warp(EXPIRATION + 2 * VOID_DELAY);
        market.void();
        requireWinner(YES);
    }

    function test_aDisputedTrueProposalWaitsForTheSecondArbitratorAndNotForAHalf() public {
        bytes32 yes = proposeOwn(YES);
        dispute(yes);
        vm.warp(EXPIRATION + oracle.ARBITRATION_DELAY());
        vm.prank(SECOND);
        oracle.arbitrate(yes, true);
        requireWinner(YES);
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), 2 * BOND, "winner");
    }

    function test_aDisputeThatNobodyDecidesLocksNoBond() public {
        bytes32 yes = proposeOwn(YES);
        dispute(yes);
        vm.warp(EXPIRATION + oracle.RETURN_DELAY());
        market.settle();
        require(market.status() == MarketStatus.Expired && market.liveAssertion(YES) == 0, "open to proposals");
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "proposer");
        assertEq(usd.balanceOf(vm.addr(DISPUTER)), BOND, "disputer");
        proposeOwn(YES);
    }

    function test_anOracleThatAnswersNoMoreDoesNotPreventTheEnd() public {
        proposeOwn(YES);
        vm.mockCallRevert(address(oracle), abi.encodeWithSelector(oracle.getAssertion.selector), "gone");
        vm.warp(EXPIRATION + VOID_DELAY);
        market.void();
        requireHalves();
    }

    /// @dev An oracle that could not pay the market pays later, and the payer gets it all the same.
    function test_aBondThatTheOracleStillOwesIsItsPayers() public {
        bytes32 yes = proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        bytes memory payment = abi.encodeWithSignature("transfer(address,uint256)", address(market), BOND);
        vm.mockCall(address(usd), payment, abi.encode(false));
        oracle.settleAssertion(yes);
        requireWinner(YES);
        assertEq(market.bondsOf(vm.addr(PROPOSER)), BOND, "credited");
        vm.clearMockedCalls();
        oracle.payOwed(address(market));
        market.returnBond(vm.addr(PROPOSER));
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "paid");
    }

    // ----------------------------------------------------------------

    function requireHalves() private view {
        assertEq(shares.payoutDenominator(marketId), 2, "denominator");
        assertEq(shares.payoutNumerators(marketId, YES), 1, "YES");
    }

    function requireWinner(uint8 winner) private view {
        require(market.status() == MarketStatus.Resolved && market.resolution().resolved, "resolved");
        assertEq(market.resolution().proposedOutcome, winner, "outcome");
        assertEq(shares.payoutDenominator(marketId), 1, "denominator");
        assertEq(shares.payoutNumerators(marketId, winner), 1, "winner");
    }
}
