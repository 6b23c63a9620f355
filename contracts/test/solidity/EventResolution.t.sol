// Events from the factory to the last payout: creation in parts, one resolution for all outcomes, and the rules of single markets.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EventTerms, IEventFactory} from "../../src/interfaces/IEventFactory.sol";
import {IEventMarket} from "../../src/interfaces/IEventMarket.sol";
import {MarketStatus, Resolution} from "../../src/interfaces/IMarket.sol";
import {IOutcomeMarket} from "../../src/interfaces/IOutcomeMarket.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IResolution} from "../../src/interfaces/IResolution.sol";
import {OutcomeIds} from "../../src/libraries/OutcomeIds.sol";
import {Events, Production, ResolvingEvent, ResolvingMarket} from "./Production.sol";
import {ResolutionFixture} from "./ResolutionFixture.sol";
import {vm} from "./Vm.sol";

contract EventResolutionTest is ResolutionFixture {
    address private constant HOLDER = address(0x401d);
    Events private factory;
    ResolvingEvent private event_;
    bytes32 private eventId;
    uint256 private count;

    function setUp() public override {
        super.setUp();
        address implementation = Production.deployEventMarket(
            address(shares), address(usd), address(settlement), address(oracle), false, VOID_DELAY
        );
        factory = Production.deployEventFactory(address(this), implementation, address(settlement), BOND);
        factory.grantRole(factory.CREATOR_ROLE(), address(this));
        settlement.setTreasury(address(0x7ea5));
        usd.mint(address(this), RICH);
        usd.approve(address(shares), type(uint256).max);
    }

    function termsOf(uint256 outcomes) private pure returns (EventTerms memory) {
        string[] memory names = new string[](outcomes);
        for (uint256 i; i < outcomes; ++i) names[i] = string(abi.encodePacked("Team ", bytes1(uint8(48 + i))));
        return EventTerms("Who wins the cup?", "As the league says.", "sports", names, EXPIRATION, false, 100, 5_000);
    }

    function open(uint256 outcomes) private {
        count = outcomes;
        address created;
        (eventId, created) = factory.createEvent(termsOf(outcomes), outcomes);
        event_ = ResolvingEvent(created);
    }

    /// @dev What the fixture's people sign and send goes to the market of this outcome.
    function use(uint256 index) private {
        market = ResolvingMarket(event_.outcomeMarket(index));
        marketId = OutcomeIds.marketId(eventId, index, count);
    }

    function proposeWinner(uint256 index) private returns (bytes32) {
        use(index);
        return proposeOwn(YES);
    }

    // ---------------------------------------------------------------- creation

    function test_theFactoryCreatesAnEventWithItsMarkets() public {
        open(3);
        require(eventId == event_.marketId() && eventId == shares.getConditionId(address(event_), event_.questionId(), 3), "id");
        require(shares.collateralOfEvent(eventId) == address(usd), "collateral");
        for (uint256 i; i < 3; ++i) {
            use(i);
            IOutcomeMarket outcome = IOutcomeMarket(address(market));
            require(outcome.marketId() == marketId && outcome.index() == i && outcome.event_() == address(event_), "market");
            require(keccak256(bytes(outcome.name())) == keccak256(bytes(termsOf(3).names[i])), "name");
            (uint256 yes, uint256 no) = shares.outcomeTokens(address(usd), marketId);
            require(settlement.tokenIdOf(marketId, YES) == yes && settlement.tokenIdOf(marketId, NO) == no, "tokens");
            (uint16 rate, uint16 share) = settlement.feesOf(marketId);
            require(rate == 100 && share == 5_000, "fees");
            assertEq(settlement.settlesUntil(marketId), EXPIRATION + GRACE, "end");
        }
        (bytes32 another,) = factory.createEvent(termsOf(3), 3);
        require(another != eventId, "the same terms again are another event");
    }

    function test_manyOutcomesAreListedInParts() public {
        count = 128;
        address created;
        (eventId, created) = factory.createEvent(termsOf(128), 10);
        assertEq(factory.listedOutcomes(created), 10, "at once");
        vm.prank(HOLDER);
        factory.listOutcomes(created, 30);
        factory.listOutcomes(created, type(uint256).max);
        assertEq(factory.listedOutcomes(created), 128, "all");
        factory.listOutcomes(created, 1);
        for (uint256 i; i < 128; ++i) {
            require(settlement.tokenIdOf(OutcomeIds.marketId(eventId, i, 128), YES) != 0, "tradable");
        }
        vm.expectRevert(abi.encodeWithSelector(IEventFactory.NotAnEvent.selector, HOLDER));
        factory.listOutcomes(HOLDER, 1);
    }

    function test_onlyACreatorCreatesAndTermsAreBounded() public {
        vm.prank(HOLDER);
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, keccak256("CREATOR_ROLE"), HOLDER));
        factory.createEvent(termsOf(2), 2);
        requireRefused(termsOf(1), abi.encodeWithSelector(IEventFactory.OutcomeCount.selector, 1));
        requireRefused(termsOf(129), abi.encodeWithSelector(IEventFactory.OutcomeCount.selector, 129));
        EventTerms memory terms = termsOf(3);
        terms.names[1] = "";
        requireRefused(terms, abi.encodeWithSelector(IEventFactory.NameLength.selector, 1, 0));
        terms = termsOf(3);
        terms.names[2] = string(new bytes(65));
        requireRefused(terms, abi.encodeWithSelector(IEventFactory.NameLength.selector, 2, 65));
        terms = termsOf(3);
        terms.expiration = uint64(block.timestamp);
        requireRefused(terms, abi.encodeWithSelector(IEventFactory.ExpirationNotInFuture.selector));
        terms = termsOf(3);
        terms.question = "";
        requireRefused(terms, abi.encodeWithSelector(IEventFactory.QuestionLength.selector, 0));
    }

    /// @dev The clone that holds the terms must fit the limit of a chain's code.
    function test_allTextsTogetherAreBounded() public {
        EventTerms memory terms = termsOf(128);
        for (uint256 i; i < 128; ++i) terms.names[i] = string(new bytes(64));
        terms.question = string(new bytes(992));
        uint256 rest = 24_500 - 17_824;
        terms.description = string(new bytes(rest / 32 * 32));
        factory.createEvent(terms, 0);
        terms.description = string(new bytes(rest / 32 * 32 + 1));
        requireRefused(terms, abi.encodeWithSelector(IEventFactory.TermsLength.selector, 17_824 + rest / 32 * 32 + 32));
    }

    function test_anEventOf128OutcomesIsResolvedAndVoided() public {
        open(128);
        (ResolvingEvent voided, bytes32 voidedId) = (event_, eventId);
        open(128);
        vm.warp(EXPIRATION);
        proposeWinner(127);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        require(shares.payoutDenominator(eventId) == 1 && shares.payoutNumerators(eventId, 127) == 1, "the last one wins");
        vm.warp(EXPIRATION + VOID_DELAY);
        voided.void();
        assertEq(shares.payoutDenominator(voidedId), 128, "all pay the same");
    }

    function requireRefused(EventTerms memory terms, bytes memory reason) private {
        vm.expectRevert(reason);
        factory.createEvent(terms, 0);
    }

    // ---------------------------------------------------------------- resolution

    function testFuzz_theWinnerPaysItsYesAndTheNoOfAllOthers(uint256 outcomes, uint256 winner) public {
        // With two outcomes, YES of one is NO of the other.
        open(3 + outcomes % 6);
        winner %= count;
        for (uint256 i; i < count; ++i) {
            shares.splitTo(address(usd), OutcomeIds.marketId(eventId, i, count), 1e6, HOLDER, HOLDER);
        }
        vm.warp(EXPIRATION);
        proposeWinner(winner);
        vm.warp(EXPIRATION + WINDOW);
        event_.settle();
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "the bond is back");
        for (uint256 i; i < count; ++i) {
            use(i);
            Resolution memory seen = market.resolution();
            require(seen.resolved && seen.proposedOutcome == (i == winner ? YES : NO), "as the market sees it");
            require(market.status() == MarketStatus.Resolved, "status");
            require(settlement.settlesUntil(marketId) == EXPIRATION + GRACE || settlement.settlesUntil(marketId) == block.timestamp + 120, "end");
        }
        redeem(yesSets());
        assertEq(usd.balanceOf(HOLDER), 1e6, "one YES pays");
        redeem(noSets());
        assertEq(usd.balanceOf(HOLDER), count * 1e6, "and every NO but one");
        assertEq(usd.balanceOf(address(shares)), 0, "nothing is left");
    }

    function test_thatAnOutcomeLostIsNoProposal() public {
        open(3);
        vm.warp(EXPIRATION);
        use(1);
        refuse(permitOf(PROPOSER), NO, abi.encodeWithSelector(IOutcomeMarket.EventNeedsWinner.selector));
        refuse(permitOf(PROPOSER), 3, abi.encodeWithSelector(IOutcomeMarket.EventNeedsWinner.selector));
    }

    function test_noProposalComesBeforeTheExpiration() public {
        open(3);
        use(0);
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.MarketNotExpired.selector));
    }

    function test_anEqualShareIsProposedThroughAnyOutcome() public {
        open(4);
        shares.splitTo(address(usd), OutcomeIds.marketId(eventId, 1, 4), 4e6, HOLDER, address(this));
        vm.warp(EXPIRATION);
        use(3);
        proposeOwn(HALF);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        assertEq(market.resolution().proposedOutcome, HALF, "result");
        redeem(yesSets());
        assertEq(usd.balanceOf(HOLDER), 1e6, "a quarter for YES");
    }

    function test_anyoneVoidsAnEventThatNobodyResolved() public {
        open(3);
        uint64 from = EXPIRATION + VOID_DELAY;
        vm.warp(from - 1);
        vm.expectRevert(abi.encodeWithSelector(IResolution.TooEarlyToVoid.selector, from));
        event_.void();
        vm.warp(from);
        use(2);
        market.void();
        assertEq(market.resolution().proposedOutcome, HALF, "result");
        assertEq(shares.payoutDenominator(eventId), 3, "all pay the same");
    }

    function test_aRejectedOutcomeIsOpenAgainAndAnotherMayWin() public {
        open(3);
        vm.warp(EXPIRATION);
        bytes32 wrong = proposeWinner(0);
        dispute(wrong);
        require(market.status() == MarketStatus.Disputed, "disputed");
        arbitrate(wrong, false);
        require(!market.resolution().resolved, "nothing is assumed");
        usd.mint(vm.addr(PROPOSER), BOND);
        bytes32 right = proposeWinner(2);
        vm.warp(EXPIRATION + 2 * WINDOW);
        event_.settle();
        require(event_.resolution().assertionId == right, "decided by");
        assertEq(event_.resolution().proposedOutcome, 2, "result");
    }

    function test_ofTwoUndisputedOutcomesTheOneProposedFirstCounts() public {
        open(3);
        usd.mint(vm.addr(PROPOSER), BOND);
        vm.warp(EXPIRATION);
        proposeWinner(1);
        vm.warp(EXPIRATION + 1);
        bytes32 later = proposeWinner(0);
        vm.warp(EXPIRATION + 1 + WINDOW);
        oracle.settleAssertion(later);
        require(!event_.resolution().resolved, "the later one decides nothing");
        event_.settle();
        assertEq(event_.resolution().proposedOutcome, 1, "result");
    }

    function test_aLiveOutcomeIsNotProposedTwiceAndASponsorPaysOneBondInAnEvent() public {
        open(3);
        vm.warp(EXPIRATION);
        use(0);
        bytes32 live = propose(PROPOSER, YES, permitOf(SPONSOR));
        usd.mint(vm.addr(SPONSOR), BOND);
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.AssertionUnderWay.selector, live));
        use(1);
        refuse(permitOf(SPONSOR), YES, abi.encodeWithSelector(IResolution.AssertionUnderWay.selector, live));
        proposeOwn(YES);
    }

    function test_nobodyElsePaysWithoutBeingTheSender() public {
        open(3);
        vm.warp(EXPIRATION);
        use(0);
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signProposal(PROPOSER, YES, address(0), deadline);
        address payer = vm.addr(SPONSOR);
        vm.prank(payer);
        usd.approve(address(market), BOND);
        vm.expectRevert(abi.encodeWithSelector(IResolution.BondPayerNotAllowed.selector, payer));
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, noPermit(payer));
    }

    function test_onlyTheMarketOfAnOutcomeProposesToItsEvent() public {
        open(3);
        vm.warp(EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(IEventMarket.NotOutcomeMarket.selector, address(this)));
        event_.propose(0, false, address(this), address(this));
        address other = event_.outcomeMarket(1);
        vm.prank(other);
        vm.expectRevert(abi.encodeWithSelector(IEventMarket.NotOutcomeMarket.selector, other));
        event_.propose(0, false, address(this), address(this));
        vm.expectRevert(abi.encodeWithSelector(IEventMarket.NoSuchIndex.selector, 3));
        event_.openOutcome(3);
    }

    function test_aSettlerSignsTheResultOfTheOutcome() public {
        open(3);
        vm.warp(EXPIRATION);
        proposeWinner(0);
        vm.warp(EXPIRATION + WINDOW);
        use(1);
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signSettling(PROPOSER, YES, deadline);
        vm.expectRevert(abi.encodeWithSelector(IResolution.OutcomeDiffers.selector, NO));
        market.settleBySig(vm.addr(PROPOSER), YES, deadline, v, r, s);
        (v, r, s) = signSettling(PROPOSER, NO, deadline);
        market.settleBySig(vm.addr(PROPOSER), NO, deadline, v, r, s);
        require(market.resolution().resolved, "resolved");
    }

    /// @dev The grace after the expiration is shorter than the window of a dispute, so that only an event that may end early shows it.
    function test_tradingOfAllMarketsEndsTwoMinutesAfterTheResult() public {
        EventTerms memory terms = termsOf(3);
        (terms.early, count) = (true, 3);
        address created;
        (eventId, created) = factory.createEvent(terms, 3);
        event_ = ResolvingEvent(created);
        proposeWinner(1);
        vm.warp(START + WINDOW);
        event_.settle();
        for (uint256 i; i < 3; ++i) {
            use(i);
            assertEq(settlement.settlesUntil(marketId), block.timestamp + 120, "end");
        }
    }

    // ----------------------------------------------------------------

    function redeem(uint256[] memory sets) private {
        vm.prank(HOLDER);
        shares.redeemPositions(address(usd), 0, eventId, sets);
    }

    function yesSets() private view returns (uint256[] memory sets) {
        sets = new uint256[](count);
        for (uint256 i; i < count; ++i) sets[i] = 1 << i;
    }

    function noSets() private view returns (uint256[] memory sets) {
        sets = yesSets();
        for (uint256 i; i < count; ++i) sets[i] ^= (1 << count) - 1;
    }
}
