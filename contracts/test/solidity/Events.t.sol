// Events in the conditional tokens: the ids of their markets, YES and NO of an outcome, conversions, and fills of their markets.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../../src/interfaces/IConditionalTokens.sol";
import {IERC1155} from "../../src/interfaces/IERC1155.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {OutcomeIds} from "../../src/libraries/OutcomeIds.sol";
import {EventFixture} from "./EventFixture.sol";
import {Vm, vm} from "./Vm.sol";

contract EventsTest is EventFixture {
    uint256 private constant BUYER = 11;
    uint256 private constant SELLER = 22;
    uint256 private deadline;

    function setUp() public override {
        super.setUp();
        deadline = START + 100;
    }

    // ---------------------------------------------------------------- ids

    function testFuzz_marketsAreNamedAfterTheirEventAndOutcome(bytes32 id, uint256 index, uint256 outcomes) public pure {
        outcomes = 2 + outcomes % 127;
        index %= outcomes;
        bytes32 market = OutcomeIds.marketId(id, index, outcomes);
        require(OutcomeIds.isMarked(market), "marked");
        assertEq(OutcomeIds.indexOf(market), index, "index");
        assertEq(OutcomeIds.countOf(market), outcomes, "count");
        require(OutcomeIds.first(market) == OutcomeIds.marketId(id, 0, outcomes), "the first");
        uint256 other = (index + 1) % outcomes;
        uint256 difference = uint256(market ^ OutcomeIds.marketId(id, other, outcomes));
        require(difference >> 192 != 0 && difference << 64 == 0, "outcomes differ in the first eight bytes alone");
        require(uint256(market ^ id) & ~(uint256(0xff) << 192 | 0xffffffffff) == 0, "everything else is the event's");
    }

    function testFuzz_aMarketIsTheOutcomeAgainstAllOthers(uint256 outcomes, uint256 index) public {
        openEvent(2 + outcomes % 127);
        index %= count;
        (bytes32 condition, uint256 yes, uint256 no) = shares.marketOf(marketOf(index));
        require(condition == eventId, "condition");
        assertEq(yes, yesSet(index), "YES");
        assertEq(no, noSet(index), "NO");
        (uint256 yesToken, uint256 noToken) = shares.outcomeTokens(address(usd), marketOf(index));
        require(yesToken == positionOf(yes) && noToken == positionOf(no), "tokens");
        (condition, yes, no) = shares.marketOf(marketId);
        require(condition == marketId && yes == 1 && no == 2, "a condition of two outcomes is its own market");
    }

    function test_whatIsNoMarketIsRefused() public {
        openEvent(5);
        requireNoMarket(eventId);
        requireNoMarket(OutcomeIds.marketId(eventId, 5, 5));
        requireNoMarket(OutcomeIds.marketId(eventId, 0, 6));
        requireNoMarket(OutcomeIds.marketId(keccak256("another"), 0, 5));
    }

    /// @dev A single market whose id shares some bytes with the mark is taken for no outcome.
    function testFuzz_everyByteOfTheMarkCounts(bytes32 id, uint256 place, uint8 other) public pure {
        bytes32 market = OutcomeIds.marketId(id, 0, 2);
        uint256 shift = [0, 16, 24, 32][place % 4];
        if (other == 0) other = 1;
        require(!OutcomeIds.isMarked(market ^ bytes32(uint256(other) << shift)), "one byte differs");
    }

    function requireNoMarket(bytes32 id) private {
        vm.expectRevert(IConditionalTokens.ConditionNotPrepared.selector);
        shares.marketOf(id);
        vm.expectRevert(IConditionalTokens.ConditionNotPrepared.selector);
        shares.splitTo(address(usd), id, 1, owner, owner);
    }

    function test_anEventHasTwoTo128OutcomesAndIsPreparedOnce() public {
        vm.expectRevert(IConditionalTokens.TooFewOutcomeSlots.selector);
        shares.prepareEvent(address(usd), "few", 1);
        vm.expectRevert(IConditionalTokens.TooManyOutcomeSlots.selector);
        shares.prepareEvent(address(usd), "many", 129);
        openEvent(128);
        vm.expectRevert(IConditionalTokens.EventAlreadyPrepared.selector);
        shares.prepareEvent(address(0xbad), "event", 128);
        require(shares.collateralOfEvent(eventId) == address(usd), "collateral");
    }

    /// @dev Its id is predictable, so that anybody may have prepared the condition; only the oracle makes it an event.
    function test_aConditionThatAStrangerPreparedBecomesAnEvent() public {
        vm.startPrank(address(0xbad));
        shares.prepareCondition(address(this), "event", 3);
        shares.prepareEvent(address(0xbad), "event", 3);
        vm.stopPrank();
        openEvent(3);
        require(eventId == shares.getConditionId(address(this), "event", 3), "condition");
        require(shares.collateralOfEvent(eventId) == address(usd), "collateral");
    }

    // ---------------------------------------------------------------- YES and NO

    function testFuzz_anOutcomeIsSplitAndMergedBySignature(uint256 outcomes, uint256 index, uint64 amount) public {
        openEvent(2 + outcomes % 7);
        index %= count;
        uint256 size = 1 + uint256(amount) % RICH;
        splitBySig("SplitPosition", marketOf(index), size);
        assertEq(held(owner, yesSet(index)), size, "YES");
        assertEq(held(owner, noSet(index)), size, "NO");
        assertEq(usd.balanceOf(address(shares)), size, "collateral");
        splitBySig("MergePositions", marketOf(index), size);
        assertEq(held(owner, yesSet(index)) + held(owner, noSet(index)), 0, "merged");
        assertEq(usd.balanceOf(owner), RICH, "everything is back");
    }

    function testFuzz_aNoIsYesOfAllOthers(uint256 outcomes, uint256 index) public {
        openEvent(3 + outcomes % 6);
        index %= count;
        split(owner, pairOf(yesSet(index), noSet(index)), 5e6);
        split(owner, singlesOf(noSet(index)), 3e6);
        assertEq(held(owner, noSet(index)), 2e6, "NO that is left");
        for (uint256 i; i < count; ++i) assertEq(held(owner, yesSet(i)), i == index ? 5e6 : 3e6, "YES");
        merge(owner, singlesOf(noSet(index)), 3e6);
        assertEq(held(owner, noSet(index)), 5e6, "NO is whole again");
        merge(owner, pairOf(yesSet(index), noSet(index)), 5e6);
        assertEq(usd.balanceOf(owner), RICH, "everything is back");
    }

    // ---------------------------------------------------------------- conversion

    function testFuzz_aConversionIsWorthTheSameInEveryResult(uint256 outcomes, uint256 indexes, uint64 amount) public {
        openEvent(2 + outcomes % 7);
        indexes = 1 + indexes % all;
        uint256 size = 1 + uint256(amount) % (RICH / 16);
        giveNoOf(indexes, size);
        uint256[] memory before = worthByResult();
        uint256 money = usd.balanceOf(owner);
        convert(owner, indexes, size);
        uint256[] memory afterwards = worthByResult();
        for (uint256 i; i < count; ++i) assertEq(afterwards[i], before[i], "worth in a result");
        assertEq(usd.balanceOf(owner) - money, (singlesOf(indexes).length - 1) * size, "freed");
    }

    function testFuzz_aConversionThereAndBackChangesNothing(uint256 outcomes, uint256 indexes, uint64 amount) public {
        openEvent(3 + outcomes % 6);
        indexes = 1 + indexes % (all - 1);
        uint256 size = 1 + uint256(amount) % (RICH / 16);
        giveNoOf(indexes, size);
        uint256 money = usd.balanceOf(owner);
        uint256[] memory chosen = singlesOf(indexes);
        discardYes(indexes);
        convert(owner, indexes, size);
        // Back: the freed collateral buys all NO but the first, and the YES that comes with them completes the first.
        for (uint256 i = 1; i < chosen.length; ++i) split(owner, pairOf(chosen[i], all ^ chosen[i]), size);
        if (singlesOf(all ^ chosen[0]).length > 1) merge(owner, singlesOf(all ^ chosen[0]), size);
        for (uint256 i; i < chosen.length; ++i) assertEq(held(owner, all ^ chosen[i]), size, "NO is back");
        for (uint256 i; i < count; ++i) assertEq(held(owner, yesSet(i)), 0, "no YES is left");
        assertEq(usd.balanceOf(owner), money, "money");
    }

    function testFuzz_aSignedConversionIsTheSignersOwnAndCountsOnce(uint256 outcomes, uint256 indexes, address sender) public {
        openEvent(2 + outcomes % 7);
        indexes = 1 + indexes % all;
        giveNoOf(indexes, 2e6);
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, conversionHash(indexes, 1e6, 0));
        uint256 money = usd.balanceOf(owner);
        vm.prank(sender);
        shares.convertPositionsBySig(owner, eventId, indexes, 1e6, deadline, v, r, s);
        assertEq(usd.balanceOf(owner), money + (singlesOf(indexes).length - 1) * 1e6, "paid to the owner");
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.convertPositionsBySig(owner, eventId, indexes, 1e6, deadline, v, r, s);
        (v, r, s) = sign(KEY + 1, conversionHash(indexes, 1e6, 1));
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.convertPositionsBySig(owner, eventId, indexes, 1e6, deadline, abi.encodePacked(r, s, v));
        (v, r, s) = sign(KEY, conversionHash(indexes, 1e6, 1));
        vm.warp(deadline + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        shares.convertPositionsBySig(owner, eventId, indexes, 1e6, deadline, abi.encodePacked(r, s, v));
    }

    function test_aConversionNeedsTheSharesAndAnEvent() public {
        openEvent(4);
        giveNoOf(3, 1e6);
        vm.expectRevert(IERC1155.InsufficientShares.selector);
        convert(owner, 7, 1e6);
        vm.expectRevert(IERC1155.InsufficientShares.selector);
        convert(owner, 3, 1e6 + 1);
        vm.expectRevert(IConditionalTokens.InvalidIndexSet.selector);
        convert(owner, 0, 1e6);
        vm.expectRevert(IConditionalTokens.InvalidIndexSet.selector);
        convert(owner, 16, 1e6);
        shares.prepareCondition(address(this), "no event", 4);
        eventId = shares.getConditionId(address(this), "no event", 4);
        vm.expectRevert(IConditionalTokens.ConditionNotPrepared.selector);
        convert(owner, 3, 0);
    }

    function test_allNoOfAnEventAreCollateralButOne() public {
        openEvent(5);
        giveNoOf(all, 1e6);
        uint256 money = usd.balanceOf(owner);
        vm.recordLogs();
        convert(owner, all, 1e6);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(usd.balanceOf(owner), money + 4e6, "freed");
        uint256 told;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != IConditionalTokens.PositionsConverted.selector) continue;
            (uint256 indexes, uint256 amount, uint256 freed) = abi.decode(logs[i].data, (uint256, uint256, uint256));
            require(indexes == all && amount == 1e6 && freed == 4e6, "told");
            ++told;
        }
        assertEq(told, 1, "once");
    }

    // ---------------------------------------------------------------- fills

    function testFuzz_aFillOfAnEventsMarketMovesAndMints(uint256 outcomes, uint256 index, uint64 heldShares, bool ofNo) public {
        openEvent(2 + outcomes % 63);
        index %= count;
        useMarket(marketOf(index));
        uint64 size = 10e6;
        uint8 outcome = ofNo ? NO : YES;
        (address buyer, address seller) = (openTrader(BUYER, RICH, 0), openTrader(SELLER, RICH, 0));
        uint256 hold = uint256(heldShares) % (2 * size);
        giveShares(seller, outcome, hold);
        putTrade(outcome, size);
        expectCode(FillCodes.SETTLED);
        assertEq(shares.balanceOf(buyer, ids[outcome]), size, "bought");
        uint256 minted = hold < size ? size - hold : 0;
        assertEq(shares.balanceOf(seller, ids[1 - outcome]), minted, "minted");
        assertEq(usd.balanceOf(address(shares)), hold + minted, "collateral");
        assertEq(usd.balanceOf(seller), RICH + 4e6 - minted, "paid");
    }

    function test_aMarketOfAnEventEndsWithTheEventsResult() public {
        openEvent(3);
        useMarket(marketOf(2));
        vm.expectRevert();
        settlement.closeMarket(marketId);
        uint256[] memory payouts = new uint256[](3);
        payouts[1] = 1;
        shares.reportPayouts("event", payouts);
        require(shares.isResolved(marketId), "resolved");
        settlement.closeMarket(marketId);
        vm.warp(START + 121);
        openTrader(BUYER, RICH, 0);
        openTrader(SELLER, RICH, 0);
        putTrade(YES, 1e6);
        expectCode(FillCodes.MARKET_RESOLVED);
    }

    // ----------------------------------------------------------------

    function useMarket(bytes32 id) private {
        marketId = id;
        (ids[0], ids[1]) = settlement.registerMarket(id, CLOSE, 0, 0);
    }

    function putTrade(uint8 outcome, uint64 size) private {
        (uint256[2] memory keys, uint8[2] memory sides) = ([BUYER, SELLER], [BUY, SELL]);
        for (uint256 i; i < 2; ++i) {
            (uint64 price, uint8 side) = (400_000, sides[i]);
            batchOrders.push(newOrder(keys[i], side, price, size, 0));
            batchOrders[i].outcome = outcome;
            batchSignatures.push(signOrder(keys[i], batchOrders[i]));
        }
        putFill(0, 1, 400_000, size);
    }

    /// @dev NO of each outcome, with the YES that comes with it.
    function giveNoOf(uint256 indexes, uint256 amount) private {
        uint256[] memory chosen = singlesOf(indexes);
        for (uint256 i; i < chosen.length; ++i) split(owner, pairOf(chosen[i], all ^ chosen[i]), amount);
    }

    /// @dev Away with the YES of these outcomes, so that only NO is left.
    function discardYes(uint256 indexes) private {
        uint256[] memory chosen = singlesOf(indexes);
        for (uint256 i; i < chosen.length; ++i) {
            (uint256 id, uint256 amount) = (positionOf(chosen[i]), held(owner, chosen[i]));
            vm.prank(owner);
            shares.safeTransferFrom(owner, address(0xb1), id, amount, "");
        }
    }

    /// @dev Collateral and shares of the owner, by the outcome that wins. An equal share for all is their mean.
    function worthByResult() private returns (uint256[] memory worth) {
        worth = new uint256[](count);
        for (uint256 set = 1; set < all; ++set) {
            uint256 amount = held(owner, set);
            for (uint256 i; i < count; ++i) {
                if (set >> i & 1 == 1) worth[i] += amount;
            }
        }
        for (uint256 i; i < count; ++i) worth[i] += usd.balanceOf(owner);
    }

    function splitBySig(string memory name, bytes32 market, uint256 amount) private {
        string memory fields =
            "(address owner,address collateralToken,bytes32 conditionId,uint256 amount,uint256 nonce,uint256 deadline)";
        bytes32 typehash = keccak256(bytes(string.concat(name, fields)));
        bytes32 hash =
            keccak256(abi.encode(typehash, owner, address(usd), market, amount, shares.nonces(owner), deadline));
        (uint8 v, bytes32 r, bytes32 s) = sign(KEY, hash);
        bool isSplit = keccak256(bytes(name)) == keccak256("SplitPosition");
        if (isSplit) shares.splitPositionBySig(owner, address(usd), market, amount, deadline, v, r, s);
        else shares.mergePositionsBySig(owner, address(usd), market, amount, deadline, v, r, s);
    }

    function conversionHash(uint256 indexes, uint256 amount, uint256 nonce) private view returns (bytes32) {
        bytes32 typehash = keccak256(
            "ConvertPositions(address owner,bytes32 eventId,uint256 indexes,uint256 amount,uint256 nonce,uint256 deadline)"
        );
        return keccak256(abi.encode(typehash, owner, eventId, indexes, amount, nonce, deadline));
    }

    function sign(uint256 key, bytes32 structHash) private view returns (uint8, bytes32, bytes32) {
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", shares.DOMAIN_SEPARATOR(), structHash)));
    }
}
