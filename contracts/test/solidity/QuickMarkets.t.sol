// Quick markets: created once per window, struck and resolved by proved prices, void when there is none, redeemed to the last unit.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MockPyth} from "@pythnetwork/pyth-sdk-solidity/MockPyth.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IPriceOracle} from "../../src/interfaces/IPriceOracle.sol";
import {IQuickMarket} from "../../src/interfaces/IQuickMarket.sol";
import {IQuickMarketFactory} from "../../src/interfaces/IQuickMarketFactory.sol";
import {PriceUpdates, Update} from "./PriceUpdates.sol";
import {Production, QuickFactory} from "./Production.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract QuickMarketsTest is SettlementFixture {
    // The quarter of an hour after the fixture's clock.
    uint64 private constant OPENS = 1_700_000_100;
    uint64 private constant ENDS = OPENS + 900;
    bytes32 private constant BTC = keccak256("BTC/USD");
    int64 private constant STRIKE = 65_000e8;
    uint256 private constant MAX_CONFIDENCE_BPS = 100;
    uint64 private constant VOID_DELAY = 1 days;

    IPriceOracle private oracle;
    QuickFactory private factory;
    IQuickMarket private quick;

    function setUp() public override {
        super.setUp();
        oracle = Production.deployPriceOracle(vm.addr(PriceUpdates.FEED_KEY));
        factory = openFactory(address(oracle));
        (, address created) = factory.createQuickMarket("BTC", BTC, OPENS);
        quick = IQuickMarket(created);
    }

    function openFactory(address oracle_) private returns (QuickFactory opened) {
        address implementation = Production.deployQuickMarket(
            oracle_, address(shares), address(usd), address(settlement), MAX_CONFIDENCE_BPS, VOID_DELAY
        );
        opened = Production.deployQuickFactory(address(this), implementation, address(settlement));
        opened.grantRole(opened.CREATOR_ROLE(), address(this));
    }

    function priceAt(uint64 boundary, int64 price) private pure returns (bytes[] memory) {
        return PriceUpdates.alone(PriceUpdates.signed(Update(BTC, price, 1e8, -8, boundary, boundary - 1)));
    }

    function strike() private {
        vm.warp(OPENS + 1);
        quick.strike(priceAt(OPENS, STRIKE));
    }

    function strikeAndResolve(int64 end) private {
        strike();
        vm.warp(ENDS + 1);
        quick.resolve(priceAt(ENDS, end));
    }

    function requirePayouts(uint256 yes, uint256 no) private view {
        bytes32 id = quick.marketId();
        assertEq(shares.payoutNumerators(id, 0), yes, "yes");
        assertEq(shares.payoutNumerators(id, 1), no, "no");
    }

    // ---------------------------------------------------------------- creation

    function test_aMarketKeepsItsTerms() public view {
        require(keccak256(bytes(quick.asset())) == keccak256("BTC") && quick.feedId() == BTC, "asset");
        require(quick.startTime() == OPENS && quick.endTime() == ENDS && quick.expiration() == ENDS, "times");
        require(quick.maker() == address(this) && quick.priceOracle() == address(oracle), "maker and oracle");
        require(quick.conditionalTokens() == address(shares) && quick.collateral() == address(usd), "tokens");
        require(factory.isMarket(address(quick)) && factory.marketOf("BTC", OPENS) == address(quick), "factory");
        require(!quick.settled() && quick.startPrice().publishTime == 0, "fresh");
    }

    function test_theIdIsTheConditionOfAssetAndStart() public view {
        bytes32 questionId = keccak256(abi.encode("quick", "BTC", OPENS));
        require(quick.questionId() == questionId, "question id");
        require(quick.marketId() == shares.getConditionId(address(quick), questionId, 2), "condition id");
        assertEq(shares.getOutcomeSlotCount(quick.marketId()), 2, "prepared");
        require(settlement.tokenIdOf(quick.marketId(), 0) != 0, "registered");
    }

    function test_creationTellsEverythingAViewNeeds() public {
        vm.recordLogs();
        (bytes32 id, address market) = factory.createQuickMarket("ETH", BTC, OPENS);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory log = logs[logs.length - 1];
        require(log.topics[0] == IQuickMarketFactory.QuickMarketCreated.selector, "event");
        require(log.topics[1] == id && log.topics[2] == bytes32(uint256(uint160(market))), "id and market");
        bytes memory expected = abi.encode(
            keccak256(abi.encode("quick", "ETH", OPENS)),
            BTC,
            OPENS,
            ENDS,
            settlement.tokenIdOf(id, 0),
            settlement.tokenIdOf(id, 1),
            "ETH"
        );
        require(keccak256(log.data) == keccak256(expected), "data");
    }

    function test_theIdOfAQuickMarketFollowsFromItsFees() public {
        settlement.setTreasury(address(0x7ea5));
        uint256 start = vm.snapshotState();
        (bytes32 plain,) = factory.createQuickMarket("ETH", BTC, OPENS);
        vm.revertToState(start);
        (bytes32 id, address created) = factory.createQuickFeeMarket("ETH", BTC, OPENS, 50, 2_500);
        require(id != plain, "one id");
        require(IQuickMarket(created).startTime() == OPENS && IQuickMarket(created).endTime() == ENDS, "window");
        (uint16 rate, uint16 share) = settlement.feesOf(id);
        require(rate == 50 && share == 2_500, "fees");
    }

    function test_aWindowHasOneMarketPerAsset() public {
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.WindowTaken.selector, address(quick)));
        factory.createQuickMarket("BTC", BTC, OPENS);
        factory.createQuickMarket("BTC", BTC, ENDS);
        factory.createQuickMarket("ETH", BTC, OPENS);
    }

    function test_aWindowThatHasBegunMayBeOpenedAndOneThatHasEndedMayNot() public {
        vm.warp(ENDS + 899);
        factory.createQuickMarket("BTC", BTC, ENDS);
        vm.warp(ENDS + 900);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.WindowOver.selector, ENDS + 900));
        factory.createQuickMarket("ETH", BTC, ENDS);
    }

    function test_unfitTermsAreRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.StartNotAligned.selector, OPENS + 1));
        factory.createQuickMarket("ETH", BTC, OPENS + 1);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.AssetLength.selector, 0));
        factory.createQuickMarket("", BTC, OPENS);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.AssetLength.selector, 17));
        factory.createQuickMarket("SEVENTEENLETTERSX", BTC, OPENS);
        vm.expectRevert(IQuickMarketFactory.ZeroFeedId.selector);
        factory.createQuickMarket("ETH", 0, OPENS);
    }

    function test_onlyACreatorCreates() public {
        bytes32 role = factory.CREATOR_ROLE();
        vm.prank(address(0xbad));
        vm.expectRevert(abi.encodeWithSelector(IOwnedRoles.MissingRole.selector, role, address(0xbad)));
        factory.createQuickMarket("ETH", BTC, OPENS);
    }

    function test_aConditionPreparedByAStrangerDoesNotStopTheMarket() public {
        address place = foretell("SOL");
        vm.prank(address(0xbad));
        shares.prepareCondition(place, keccak256(abi.encode("quick", "SOL", OPENS)), 2);
        (, address market) = factory.createQuickMarket("SOL", BTC, OPENS);
        require(market == place, "place");
    }

    /// @dev Creates the market in a call that is undone, and learns its address from the error.
    function foretell(string memory asset) private returns (address place) {
        try this.createAndRevert(asset) {}
        catch (bytes memory reason) {
            assembly ("memory-safe") {
                place := mload(add(reason, 0x24))
            }
        }
        require(factory.marketOf(asset, OPENS) == address(0), "the creation was not undone");
    }

    function createAndRevert(string calldata asset) external {
        (, address market) = factory.createQuickMarket(asset, BTC, OPENS);
        revert IQuickMarketFactory.WindowTaken(market);
    }

    // ---------------------------------------------------------------- strike and resolve

    function test_anyoneStrikesWithTheProvedPrice() public {
        vm.warp(OPENS + 5);
        vm.prank(address(0xbad));
        quick.strike(priceAt(OPENS, STRIKE));
        require(quick.startPrice().price == STRIKE && quick.startPrice().expo == -8, "price");
        require(quick.startPrice().publishTime == OPENS && !quick.settled(), "time");
    }

    function test_aStrikeHoldsOnce() public {
        strike();
        vm.expectRevert(IQuickMarket.AlreadyStruck.selector);
        quick.strike(priceAt(OPENS, STRIKE + 1));
    }

    function test_aPriceOfAnotherTimeDoesNotStrike() public {
        bytes[] memory early = priceAt(OPENS - 1, STRIKE);
        bytes[] memory late = PriceUpdates.alone(PriceUpdates.signed(Update(BTC, STRIKE, 1, -8, OPENS + 61, OPENS - 1)));
        bytes[] memory second = PriceUpdates.alone(PriceUpdates.signed(Update(BTC, STRIKE, 1, -8, OPENS + 1, OPENS)));
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        quick.strike(early);
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        quick.strike(late);
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        quick.strike(second);
    }

    function test_aPriceThatIsNotPositiveIsNone() public {
        bytes[] memory zero = priceAt(OPENS, 0);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.PriceNotPositive.selector, int64(0)));
        quick.strike(zero);
    }

    function testFuzz_aPriceTheOracleIsNotSureOfIsNone(uint64 conf) public {
        bytes[] memory update = PriceUpdates.alone(PriceUpdates.signed(Update(BTC, STRIKE, conf, -8, OPENS, OPENS - 1)));
        bool isTooWide = uint256(conf) * 10_000 > uint256(uint64(STRIKE)) * MAX_CONFIDENCE_BPS;
        if (isTooWide) {
            vm.expectRevert(abi.encodeWithSelector(IQuickMarket.ConfidenceTooWide.selector, STRIKE, conf));
        }
        quick.strike(update);
        require((quick.startPrice().publishTime == 0) == isTooWide, "struck");
    }

    function test_anEndPriceTheOracleIsNotSureOfDecidesNothing() public {
        strike();
        vm.warp(ENDS + 1);
        bytes[] memory wide = PriceUpdates.alone(PriceUpdates.signed(Update(BTC, STRIKE, 651e8, -8, ENDS, ENDS - 1)));
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.ConfidenceTooWide.selector, STRIKE, uint64(651e8)));
        quick.resolve(wide);
    }

    function test_whatIsPaidBeyondTheFeeComesBack() public {
        vm.deal(address(0xfee), 10);
        vm.warp(OPENS + 1);
        vm.prank(address(0xfee));
        quick.strike{value: 10}(priceAt(OPENS, STRIKE));
        assertEq(address(0xfee).balance, 10, "all of it, where there is no fee");
    }

    function test_aHigherEndPriceIsYes() public {
        strikeAndResolve(STRIKE + 1);
        requirePayouts(1, 0);
        require(quick.endPrice().price == STRIKE + 1 && quick.endPrice().publishTime == ENDS && quick.settled(), "end");
    }

    function test_aLowerEndPriceIsNo() public {
        strikeAndResolve(STRIKE - 1);
        requirePayouts(0, 1);
    }

    function test_anEqualEndPriceIsYes() public {
        strikeAndResolve(STRIKE);
        requirePayouts(1, 0);
    }

    function testFuzz_theOutcomeFollowsThePrices(int64 start, int64 end) public {
        vm.assume(start > 1e10 && end > 1e10);
        vm.warp(OPENS + 1);
        quick.strike(priceAt(OPENS, start));
        vm.warp(ENDS + 1);
        quick.resolve(priceAt(ENDS, end));
        requirePayouts(end >= start ? 1 : 0, end >= start ? 0 : 1);
    }

    function test_theExponentCounts() public {
        strike();
        vm.warp(ENDS + 1);
        quick.resolve(PriceUpdates.alone(PriceUpdates.signed(Update(BTC, 65_001, 0, 0, ENDS, ENDS - 1))));
        requirePayouts(1, 0);
    }

    /// @dev The same price with fewer and with more digits than the strike's, and one unit of the last digit less.
    function test_aPriceWithOtherDigitsIsComparedExactly() public {
        uint256 fresh = vm.snapshotState();
        requireOutcome(STRIKE / 100, -6, 1);
        vm.revertToState(fresh);
        requireOutcome(STRIKE / 100 - 1, -6, 0);
        vm.revertToState(fresh);
        requireOutcome(STRIKE * 100, -10, 1);
        vm.revertToState(fresh);
        requireOutcome(STRIKE * 100 - 1, -10, 0);
    }

    function requireOutcome(int64 price, int32 expo, uint256 yes) private {
        strike();
        vm.warp(ENDS + 1);
        quick.resolve(PriceUpdates.alone(PriceUpdates.signed(Update(BTC, price, 1, expo, ENDS, ENDS - 1))));
        requirePayouts(yes, 1 - yes);
    }

    function test_exponentsBeyondCompareLeaveTheMarketToBeVoided() public {
        strike();
        vm.warp(ENDS + 1);
        bytes[] memory far = PriceUpdates.alone(PriceUpdates.signed(Update(BTC, 1, 0, 50, ENDS, ENDS - 1)));
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.ExponentsTooFarApart.selector, int32(-8), int32(50)));
        quick.resolve(far);
        vm.warp(ENDS + 1 days);
        quick.void();
    }

    function test_whatIsNotStruckIsNotResolved() public {
        vm.warp(ENDS + 1);
        vm.expectRevert(IQuickMarket.NotStruck.selector);
        quick.resolve(priceAt(ENDS, STRIKE));
    }

    function test_whatIsResolvedStaysSo() public {
        strikeAndResolve(STRIKE - 1);
        vm.warp(ENDS + 2 days);
        vm.expectRevert(IQuickMarket.AlreadySettled.selector);
        quick.resolve(priceAt(ENDS, STRIKE));
        vm.expectRevert(IQuickMarket.AlreadySettled.selector);
        quick.void();
        vm.expectRevert(IQuickMarket.AlreadySettled.selector);
        quick.strike(priceAt(OPENS, STRIKE));
    }

    function test_theEndPriceOfAWindowIsTheStartPriceOfTheNext() public {
        strikeAndResolve(STRIKE - 7);
        (, address next) = factory.createQuickMarket("BTC", BTC, ENDS);
        IQuickMarket(next).strike(priceAt(ENDS, STRIKE - 7));
        require(IQuickMarket(next).startPrice().price == quick.endPrice().price, "prices differ");
    }

    // ---------------------------------------------------------------- void

    function test_aStruckMarketIsVoidADayAfterItsEndAndNotBefore() public {
        strike();
        vm.warp(ENDS + 1 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.TooEarlyToVoid.selector, ENDS + 1 days));
        quick.void();
        vm.warp(ENDS + 1 days);
        quick.void();
        requirePayouts(1, 1);
        require(quick.settled() && quick.endPrice().publishTime == 0, "no end price");
    }

    function test_aMarketThatWasNeverStruckIsVoidADayAfterItsEnd() public {
        vm.warp(ENDS + 1 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.TooEarlyToVoid.selector, ENDS + 1 days));
        quick.void();
        vm.warp(ENDS + 1 days);
        quick.void();
        requirePayouts(1, 1);
        vm.expectRevert(IQuickMarket.AlreadySettled.selector);
        quick.strike(priceAt(OPENS, STRIKE));
    }

    function test_aStartPriceIsStruckAfterTheEndAndNobodyVoidsItAway() public {
        vm.warp(ENDS + 30 minutes);
        quick.strike(priceAt(OPENS, STRIKE));
        vm.warp(ENDS + 1 hours);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.TooEarlyToVoid.selector, ENDS + 1 days));
        quick.void();
        quick.resolve(priceAt(ENDS, STRIKE - 1));
        requirePayouts(0, 1);
    }

    // ---------------------------------------------------------------- void, proved

    function firstAfter(uint64 boundary, uint64 publishTime, int64 price, uint64 conf)
        private
        pure
        returns (bytes[] memory)
    {
        return PriceUpdates.alone(PriceUpdates.signed(Update(BTC, price, conf, -8, publishTime, boundary - 1)));
    }

    function testFuzz_aGapInThePricesIsProofEnough(bool struck) public {
        if (struck) strike();
        uint64 boundary = struck ? ENDS : OPENS;
        vm.warp(ENDS + 100);
        quick.voidWithProof(firstAfter(boundary, boundary + 61, STRIKE, 0));
        requirePayouts(1, 1);
        vm.expectRevert(IQuickMarket.AlreadySettled.selector);
        quick.voidWithProof(firstAfter(boundary, boundary + 61, STRIKE, 0));
    }

    function testFuzz_aPriceThatCannotBeUsedIsProofEnough(bool negative) public {
        strike();
        vm.warp(ENDS + 100);
        quick.voidWithProof(firstAfter(ENDS, ENDS + 5, negative ? -STRIKE : STRIKE, negative ? 0 : uint64(STRIKE / 50)));
        requirePayouts(1, 1);
    }

    function testFuzz_aPriceThatExistsVoidsNothing(uint8 late) public {
        uint64 publishTime = ENDS + late % 61;
        strike();
        vm.warp(ENDS + 100);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.PriceExists.selector, publishTime));
        quick.voidWithProof(firstAfter(ENDS, publishTime, STRIKE, 0));
    }

    function test_aLaterPriceProvesNoGap() public {
        strike();
        vm.warp(ENDS + 100);
        bytes[] memory later = PriceUpdates.alone(
            PriceUpdates.signed(Update(BTC, STRIKE, 0, -8, ENDS + 70, ENDS + 30))
        );
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        quick.voidWithProof(later);
    }

    /// @dev A start price that exists can be struck: a gap at the end is proved after that.
    function test_aGapAtTheEndVoidsNothingBeforeTheStrike() public {
        vm.warp(ENDS + 100);
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        quick.voidWithProof(firstAfter(ENDS, ENDS + 61, STRIKE, 0));
    }

    // ---------------------------------------------------------------- who may take a window

    function test_aKnownAssetKeepsItsFeed() public {
        require(factory.feedOf("BTC") == BTC, "known");
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.ForeignFeed.selector, BTC));
        factory.createQuickMarket("BTC", keccak256("another feed"), ENDS);
        vm.prank(address(0xbad));
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        factory.setFeed("BTC", keccak256("another feed"));
        factory.setFeed("BTC", keccak256("another feed"));
        factory.createQuickMarket("BTC", keccak256("another feed"), ENDS);
    }

    function testFuzz_noWindowIsTakenFarAhead(uint64 startTime) public {
        startTime = startTime / 900 * 900;
        uint64 latest = uint64(block.timestamp) + factory.MAX_LEAD();
        vm.assume(startTime > latest);
        vm.expectRevert(abi.encodeWithSelector(IQuickMarketFactory.StartTooFar.selector, latest));
        factory.createQuickMarket("ETH", BTC, startTime);
    }

    function testFuzz_everyWayOfSettlingEndsTheTrading(bool isVoid) public {
        bytes32 id = quick.marketId();
        if (isVoid) {
            vm.warp(ENDS + 1 days);
            quick.void();
        } else {
            strikeAndResolve(STRIKE);
        }
        uint256 end = ENDS + GRACE;
        uint256 afterResult = block.timestamp + 120;
        assertEq(settlement.settlesUntil(id), afterResult < end ? afterResult : end, "settles until");
    }

    function test_anEndPriceFoundLateStillDecides() public {
        strike();
        vm.warp(ENDS + 3 days);
        quick.resolve(priceAt(ENDS, STRIKE + 1));
        requirePayouts(1, 0);
    }

    // ---------------------------------------------------------------- redemption

    function testFuzz_everyUnitIsPaidOut(uint64 amount, int64 end, bool isVoid) public {
        vm.assume(amount > 1 && end > 1e10);
        (address yesHolder, address noHolder) = (address(0xa11ce), address(0xb0b));
        usd.mint(address(this), amount);
        usd.approve(address(shares), amount);
        shares.splitTo(address(usd), quick.marketId(), amount, yesHolder, noHolder);
        strike();
        vm.warp(ENDS + 1 days);
        if (isVoid) quick.void();
        else quick.resolve(priceAt(ENDS, end));
        redeem(yesHolder);
        redeem(noHolder);
        uint256 half = amount / 2;
        assertEq(usd.balanceOf(yesHolder), isVoid ? half : end >= STRIKE ? amount : 0, "yes holder");
        assertEq(usd.balanceOf(noHolder), isVoid ? half : end >= STRIKE ? 0 : amount, "no holder");
    }

    function redeem(address holder) private {
        uint256[] memory sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
        bytes32 id = quick.marketId();
        vm.prank(holder);
        shares.redeemPositions(address(usd), 0, id, sets);
    }

    // ---------------------------------------------------------------- the real interface

    function test_worksAgainstTheMockOfPythAndPaysItsFee() public {
        MockPyth mock = new MockPyth(60, 7);
        QuickFactory live = openFactory(address(mock));
        (, address created) = live.createQuickMarket("BTC", BTC, OPENS);
        IQuickMarket market = IQuickMarket(created);
        vm.warp(ENDS + 1);
        bytes[] memory start = PriceUpdates.alone(PriceUpdates.forMock(Update(BTC, STRIKE, 1, -8, OPENS, OPENS - 1)));
        bytes[] memory end = PriceUpdates.alone(PriceUpdates.forMock(Update(BTC, STRIKE - 1, 1, -8, ENDS, ENDS - 1)));
        vm.expectRevert(abi.encodeWithSelector(IQuickMarket.FeeTooLow.selector, 7));
        market.strike{value: 6}(start);
        vm.deal(address(0xfee), 100);
        vm.startPrank(address(0xfee));
        market.strike{value: 7}(start);
        market.resolve{value: 50}(end);
        vm.stopPrank();
        assertEq(address(0xfee).balance, 86, "change");
        assertEq(shares.payoutNumerators(market.marketId(), 1), 1, "NO won");
        assertEq(address(mock).balance, 14, "fees");
    }
}
