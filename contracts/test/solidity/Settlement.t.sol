// What a fill moves, in every branch, and what it refuses, code by code.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {BatchPacking, Signature} from "./BatchPacking.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

contract SettlementTest is SettlementFixture {
    uint256 private constant BUYER = 11;
    uint256 private constant SELLER = 12;
    address private buyer;
    address private seller;

    function setUp() public override {
        super.setUp();
        buyer = openTrader(BUYER, RICH, 0);
        seller = openTrader(SELLER, RICH, 0);
    }

    function putPair(uint64 buyPrice, uint64 sellPrice, uint64 size) private {
        put(BUYER, BUY, buyPrice, size, 0);
        put(SELLER, SELL, sellPrice, size, 0);
    }

    function putTrade(uint64 price, uint64 size) private {
        putPair(price, price, size);
        putFill(0, 1, price, size);
    }

    // ---------------------------------------------------------------- moving

    function test_heldSharesChangeHandsForTheCost() public {
        giveShares(seller, YES, 10e6);
        putTrade(550_000, 10e6);
        expectCode(FillCodes.SETTLED);
        assertEq(yesOf(buyer), 10e6, "buyer's shares");
        assertEq(yesOf(seller), 0, "seller's shares");
        assertEq(usd.balanceOf(buyer), RICH - 5_500_000, "buyer's stablecoin");
        assertEq(usd.balanceOf(seller), RICH + 5_500_000, "seller's stablecoin");
        assertEq(settledAmounts[0], uint256(550_000) << 192 | uint256(10e6) << 128 | uint256(5_500_000) << 64, "amounts");
        assertEq(filledOf(BUYER, 0), 10e6, "buyer's counter");
        assertEq(filledOf(SELLER, 0), 10e6, "seller's counter");
    }

    function test_aSellerWithoutSharesPaysWhatTheCostLacks() public {
        putTrade(400_000, 10e6);
        expectCode(FillCodes.SETTLED);
        requireMinted(10e6, 4e6, 10e6);
    }

    function test_aSellerWhoMintsLessThanTheCostIsPaidTheRest() public {
        giveShares(seller, YES, 8e6);
        putTrade(400_000, 10e6);
        expectCode(FillCodes.SETTLED);
        requireMinted(10e6, 4e6, 2e6);
    }

    function test_aMintThatEqualsTheCostMovesNoStablecoinOfTheSeller() public {
        giveShares(seller, YES, 6e6);
        putTrade(400_000, 10e6);
        expectCode(FillCodes.SETTLED);
        requireMinted(10e6, 4e6, 4e6);
        assertEq(usd.balanceOf(seller), RICH, "seller's stablecoin");
    }

    function testFuzz_mintOnSale(uint64 price, uint64 size, uint64 held, bool no) public {
        price = 1 + price % 999_999;
        size = 1 + size % 1_000e6;
        held = held % (2 * size);
        uint8 outcome = no ? NO : YES;
        giveShares(seller, outcome, held);
        Order memory buy = newOrder(BUYER, BUY, price, size, 0);
        Order memory sell = newOrder(SELLER, SELL, price, size, 0);
        (buy.outcome, sell.outcome) = (outcome, outcome);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, price, size);
        expectCode(FillCodes.SETTLED);
        uint256 cost = settlement.costOf(price, size);
        uint256 minted = held >= size ? 0 : size - held;
        assertEq(uint64(settledAmounts[0]), minted, "minted");
        assertEq(shares.balanceOf(buyer, ids[outcome]), size, "buyer's shares");
        assertEq(shares.balanceOf(seller, ids[outcome]), held - (size - minted), "seller's shares");
        assertEq(shares.balanceOf(seller, ids[1 - outcome]), minted, "seller's complement");
        assertEq(usd.balanceOf(buyer), RICH - cost, "buyer's stablecoin");
        assertEq(usd.balanceOf(seller) + minted, RICH + cost, "seller's stablecoin");
        assertEq(usd.balanceOf(address(settlement)), 0, "left in the settlement");
    }

    // ---------------------------------------------------------------- rounding

    /// @dev Whatever the parts and their prices: each fill but the first costs the buyer one unit beyond the limit at most, and the
    /// seller is never paid less than the limit.
    function testFuzz_partsKeepBothLimitsButForAUnitEach(
        uint64 lowest,
        uint64 highest,
        uint64[8] memory prices,
        uint64[8] memory sizes
    ) public {
        (lowest, highest) = (1 + lowest % 999_999, 1 + highest % 999_999);
        if (lowest > highest) (lowest, highest) = (highest, lowest);
        uint64 total;
        for (uint256 i; i < 8; ++i) total += sizes[i] = 1 + sizes[i] % (i % 2 == 0 ? 9 : 50e6);
        giveShares(seller, YES, total);
        put(BUYER, BUY, highest, total, 0);
        put(SELLER, SELL, lowest, total, 0);
        for (uint256 i; i < 8; ++i) putFill(0, 1, lowest + prices[i] % (highest - lowest + 1), sizes[i]);
        send();
        for (uint256 i; i < 8; ++i) assertEq(codes[i], FillCodes.SETTLED, "code");
        uint256 paid = RICH - usd.balanceOf(buyer);
        require(paid <= (uint256(highest) * total + 999_999) / 1e6 + 7, "the buyer's limit");
        require(paid * 1e6 >= uint256(lowest) * total, "the seller's limit");
        assertEq(usd.balanceOf(seller), RICH + paid, "all of it is the seller's");
    }

    // ---------------------------------------------------------------- reduce-only

    uint64 private constant MUST_NOT_MINT = 1 << 23;

    function testFuzz_aReduceOnlyFillSettlesOnlyFromSharesThatAreHeld(uint64 size, uint64 held, bool no) public {
        size = 1 + size % 1_000e6;
        held = held % (2 * size);
        uint8 outcome = no ? NO : YES;
        giveShares(seller, outcome, held);
        Order memory buy = newOrder(BUYER, BUY, 400_000, size, 0);
        Order memory sell = newOrder(SELLER, SELL, 400_000, size, 0);
        (buy.outcome, sell.outcome) = (outcome, outcome);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, MUST_NOT_MINT | 400_000, size);
        expectCode(held >= size ? FillCodes.SETTLED : FillCodes.SELLER_WOULD_MINT);
        uint256 moved = held >= size ? size : 0;
        assertEq(shares.balanceOf(buyer, ids[outcome]), moved, "buyer's shares");
        assertEq(shares.balanceOf(seller, ids[outcome]), held - moved, "seller's shares");
        assertEq(shares.balanceOf(seller, ids[1 - outcome]), 0, "no short");
        assertEq(filledOf(BUYER, 0) + filledOf(SELLER, 0), 2 * moved, "counters");
        if (moved != 0) assertEq(settledAmounts[0] >> 192, 400_000, "the price that is told");
    }

    /// @dev The bit is no part of the price: neither limit is passed by it.
    function test_aReduceOnlyFillKeepsBothLimits() public {
        giveShares(seller, YES, 10e6);
        putPair(500_000, 400_000, 10e6);
        putFill(0, 1, MUST_NOT_MINT | 500_001, 1e6);
        putFill(0, 1, MUST_NOT_MINT | 399_999, 1e6);
        putFill(0, 1, MUST_NOT_MINT | 450_000, 1e6);
        send();
        assertEq(codes[0], FillCodes.PRICE_OUTSIDE_LIMITS, "above");
        assertEq(codes[1], FillCodes.PRICE_OUTSIDE_LIMITS, "below");
        assertEq(codes[2], FillCodes.SETTLED, "within");
    }

    // ---------------------------------------------------------------- amounts beyond a lane

    uint64 private constant LARGE = 5_000e6;

    /// @dev What makes counting nonces upward cheap: eight orders, one word.
    function test_eightOrdersOfATraderShareOneWord() public {
        for (uint64 nonce; nonce < 8; ++nonce) {
            put(BUYER, BUY, 500_000, 10e6, nonce);
            put(SELLER, SELL, 500_000, 10e6, nonce);
            putFill(2 * nonce, 2 * nonce + 1, 500_000, 1e6 + nonce);
        }
        send();
        uint256 word = vm.load(address(settlement), keccak256(abi.encode(buyer, marketId, 0)));
        for (uint64 nonce; nonce < 8; ++nonce) {
            assertEq(uint32(word >> (32 * nonce)), 1e6 + nonce, "lane");
        }
    }

    function test_anOrderBeyondALaneIsFilledToItsSizeAndNoFurther() public {
        putPair(500_000, 500_000, LARGE);
        putFill(0, 1, 500_000, 2_000e6);
        putFill(0, 1, 500_000, 2_000e6);
        putFill(0, 1, 500_000, 1_000e6 + 1);
        putFill(0, 1, 500_000, 1_000e6);
        putFill(0, 1, 500_000, 1);
        send();
        assertEq(codes[2], FillCodes.BUYER_OVERFILLED, "beyond");
        assertEq(codes[3], FillCodes.SETTLED, "to the size");
        assertEq(codes[4], FillCodes.BUYER_OVERFILLED, "once more");
        assertEq(filledOf(BUYER, 0), LARGE, "buyer's counter");
        assertEq(filledOf(SELLER, 0), LARGE, "seller's counter");
        assertEq(filledOf(BUYER, 1) + filledOf(SELLER, 1), 0, "neighbours");
    }

    function test_aFailedFillBeyondALaneIsTakenBack() public {
        putPair(500_000, 500_000, LARGE);
        putFill(0, 1, 500_000, 1_000e6);
        putFill(0, 1, MUST_NOT_MINT | 500_000, 4_000e6);
        send();
        assertEq(codes[1], FillCodes.SELLER_WOULD_MINT, "code");
        assertEq(filledOf(BUYER, 0), 1_000e6, "back in its lane");
        putPair(500_000, 500_000, LARGE);
        putFill(0, 1, 500_000, 3_000e6);
        putFill(0, 1, MUST_NOT_MINT | 500_000, 1_000e6);
        send();
        assertEq(codes[0], FillCodes.SETTLED, "beyond its lane");
        assertEq(filledOf(BUYER, 0), 4_000e6, "still beyond its lane");
        assertEq(filledOf(SELLER, 0), 4_000e6, "the same for the seller");
    }

    function test_aCancelStopsAnOrderBeyondALane() public {
        putPair(500_000, 500_000, LARGE);
        putFill(0, 1, 500_000, 3_000e6);
        expectCode(FillCodes.SETTLED);
        vm.prank(buyer);
        settlement.requestCancel(marketId, 0);
        assertEq(filledOf(BUYER, 0), 3_000e6, "amount under the flag");
        putPair(500_000, 500_000, LARGE);
        putFill(0, 1, 500_000, 1e6);
        expectCode(FillCodes.SETTLED);
        vm.warp(START + GRACE + 1);
        Order memory buy = newOrder(BUYER, BUY, 500_000, LARGE, 0);
        Order memory sell = newOrder(SELLER, SELL, 500_000, LARGE, 0);
        (buy.expiration, sell.expiration) = (uint64(START + 1 days), uint64(START + 1 days));
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, 500_000, 1e6);
        expectCode(FillCodes.BUYER_CANCELLED);
        assertEq(filledOf(BUYER, 0), 3_001e6, "amount");
    }

    function requireMinted(uint256 size, uint256 cost, uint256 minted) private view {
        assertEq(uint64(settledAmounts[0]), minted, "minted");
        assertEq(yesOf(buyer), size, "buyer's shares");
        assertEq(noOf(seller), minted, "seller's complement");
        assertEq(yesOf(seller), 0, "seller's shares");
        assertEq(usd.balanceOf(buyer), RICH - cost, "buyer's stablecoin");
        assertEq(usd.balanceOf(seller) + minted, RICH + cost, "seller's stablecoin");
        assertEq(usd.balanceOf(address(settlement)), 0, "left in the settlement");
    }

    function test_aSellerWithoutSharesNeedsNoShareApproval() public {
        vm.prank(seller);
        shares.setApprovalForAll(address(settlement), false);
        putTrade(400_000, 10e6);
        expectCode(FillCodes.SETTLED);
    }

    function testFuzz_aTraderWhoMeetsHimselfOnlyEverMints(uint64 price, uint64 size, uint64 held) public {
        price = 1 + price % 999_999;
        size = 1 + size % 1_000e6;
        held = held % (2 * size);
        giveShares(buyer, YES, held);
        put(BUYER, BUY, price, size, 0);
        put(BUYER, SELL, price, size, 1);
        putFill(0, 1, price, size);
        expectCode(FillCodes.SETTLED);
        uint256 minted = held >= size ? 0 : size - held;
        assertEq(yesOf(buyer), held + minted, "YES");
        assertEq(noOf(buyer), minted, "NO");
        assertEq(usd.balanceOf(buyer), RICH - minted, "stablecoin");
    }

    function test_twoOrdersOfOneTraderWithOneNonceShareOneCounter() public {
        put(BUYER, BUY, 500_000, 10e6, 5);
        put(BUYER, SELL, 500_000, 10e6, 5);
        putFill(0, 1, 500_000, 5e6);
        expectCode(FillCodes.SETTLED);
        assertEq(filledOf(BUYER, 5), 10e6, "both sides counted");
        put(BUYER, BUY, 500_000, 10e6, 5);
        put(SELLER, SELL, 500_000, 10e6, 0);
        putFill(0, 1, 500_000, 1);
        expectCode(FillCodes.BUYER_OVERFILLED);
    }

    function test_aTradeMaySettleBetweenBothLimits() public {
        putPair(600_000, 400_000, 10e6);
        putFill(0, 1, 512_345, 3);
        expectCode(FillCodes.SETTLED);
        assertEq(usd.balanceOf(buyer), RICH - 2, "rounded up");
    }

    // ---------------------------------------------------------------- refusing

    function test_anOrderThatIsNotInTheBatchIsRefused() public {
        putPair(500_000, 500_000, 10e6);
        putFill(0, 2, 500_000, 10e6);
        putFill(7, 1, 500_000, 10e6);
        send();
        assertEq(codes[0], FillCodes.UNKNOWN_ORDER, "seller index");
        assertEq(codes[1], FillCodes.UNKNOWN_ORDER, "buyer index");
    }

    function test_ordersThatDoNotPairAreRefused() public {
        Order memory buy = newOrder(BUYER, BUY, 500_000, 10e6, 0);
        Order memory otherOutcome = newOrder(SELLER, SELL, 500_000, 10e6, 0);
        otherOutcome.outcome = NO;
        Order memory otherMarket = newOrder(SELLER, SELL, 500_000, 10e6, 0);
        otherMarket.marketId = keccak256("another");
        put(BUYER, buy);
        put(SELLER, otherOutcome);
        put(SELLER, otherMarket);
        put(SELLER, BUY, 500_000, 10e6, 0);
        put(SELLER, SELL, 500_000, 10e6, 0);
        putFill(0, 1, 500_000, 10e6);
        putFill(0, 2, 500_000, 10e6);
        putFill(0, 3, 500_000, 10e6);
        putFill(4, 4, 500_000, 10e6);
        putFill(0, 0, 500_000, 10e6);
        putFill(0, 4, 500_000, 0);
        send();
        for (uint256 i; i < 6; ++i) {
            assertEq(codes[i], FillCodes.MISMATCH, "code");
        }
    }

    function test_anOutcomeThatIsNeitherYesNorNoCannotBeSent() public {
        Order memory buy = newOrder(BUYER, BUY, 500_000, 10e6, 0);
        Order memory sell = newOrder(SELLER, SELL, 500_000, 10e6, 0);
        (buy.outcome, sell.outcome) = (2, 2);
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, 500_000, 10e6);
        expectCode(FillCodes.BUYER_SIGNATURE);
    }

    function test_aPriceOutsideEitherLimitIsRefused() public {
        putPair(600_000, 400_000, 10e6);
        putFill(0, 1, 600_001, 10e6);
        putFill(0, 1, 399_999, 10e6);
        send();
        assertEq(codes[0], FillCodes.PRICE_OUTSIDE_LIMITS, "above the buyer's");
        assertEq(codes[1], FillCodes.PRICE_OUTSIDE_LIMITS, "below the seller's");
    }

    function test_aPriceOfZeroOrOneIsRefusedWhateverWasSigned() public {
        putPair((1 << 22) - 1, 0, 10e6);
        putFill(0, 1, 0, 10e6);
        putFill(0, 1, 1_000_000, 10e6);
        putFill(0, 1, (1 << 24) - 1, 10e6);
        putFill(0, 1, 999_999, 1e6);
        send();
        for (uint256 i; i < 3; ++i) {
            assertEq(codes[i], FillCodes.PRICE_OUTSIDE_LIMITS, "code");
        }
        assertEq(codes[3], FillCodes.SETTLED, "the highest legal price");
    }

    function test_anUnknownMarketIsRefusedUntilItIsRegistered() public {
        shares.prepareCondition(address(this), "second", 2);
        marketId = shares.getConditionId(address(this), "second", 2);
        putTrade(500_000, 10e6);
        expectCode(FillCodes.MARKET_UNKNOWN);
        settlement.registerMarket(marketId, CLOSE);
        putTrade(500_000, 10e6);
        expectCode(FillCodes.SETTLED);
    }

    function test_anOrderWithAFeeRecipientIsRefusedOnEitherSide() public {
        Order memory buy = newOrder(BUYER, BUY, 500_000, 10e6, 0);
        Order memory sell = newOrder(SELLER, SELL, 500_000, 10e6, 0);
        put(BUYER, buy);
        put(SELLER, sell);
        (buy.makerFeeRecipient, sell.makerFeeRecipient) = (address(1), address(1));
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(2, 1, 500_000, 10e6);
        putFill(0, 3, 500_000, 10e6);
        send();
        assertEq(codes[0], FillCodes.BUYER_SIGNATURE, "buyer");
        assertEq(codes[1], FillCodes.SELLER_SIGNATURE, "seller");
    }

    function test_anotherSignerIsRefused() public {
        putPair(500_000, 500_000, 10e6);
        batchSignatures[0] = signOrder(99, batchOrders[0]);
        putFill(0, 1, 500_000, 10e6);
        expectCode(FillCodes.BUYER_SIGNATURE);
        putPair(500_000, 500_000, 10e6);
        batchSignatures[1] = batchSignatures[0];
        putFill(0, 1, 500_000, 10e6);
        expectCode(FillCodes.SELLER_SIGNATURE);
    }

    function test_aZeroSignatureDoesNotSpeakForTheZeroAddress() public {
        Order memory buy = newOrder(BUYER, BUY, 500_000, 10e6, 0);
        buy.trader = address(0);
        put(BUYER, buy);
        put(SELLER, SELL, 500_000, 10e6, 0);
        batchSignatures[0] = Signature(0, 0);
        putFill(0, 1, 500_000, 10e6);
        expectCode(FillCodes.BUYER_SIGNATURE);
    }

    function testFuzz_anyChangedFieldSpoilsTheSignature(uint8 field, uint64 change) public {
        putTrade(500_000, 10e6);
        Order storage signed = batchOrders[0];
        uint64 delta = change == 0 ? 1 : change;
        unchecked {
            field = field % 8;
            if (field == 0) signed.marketId = bytes32(uint256(signed.marketId) + delta);
            else if (field == 1) signed.trader = address(uint160(signed.trader) + delta);
            else if (field == 2) signed.price += 1 + delta % 1e6;
            else if (field == 3) signed.size += delta;
            else if (field == 4) signed.nonce += delta;
            else if (field == 5) signed.expiration += delta;
            else if (field == 6) signed.side ^= 1;
            else signed.outcome ^= 1;
        }
        expectCode(FillCodes.BUYER_SIGNATURE);
    }

    function testFuzz_anyFlippedBitOfAnOrderSpoilsItsFillAndNoOther(uint16 place) public {
        putPair(500_000, 500_000, 10e6);
        put(BUYER, BUY, 500_000, 10e6, 1);
        put(SELLER, SELL, 500_000, 10e6, 1);
        (bytes32[] memory marketIds, bytes memory orders) = BatchPacking.packOrders(batchOrders, batchSignatures);
        uint256 bit = place % (2 * 112 * 8);
        orders[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        bytes memory fills =
            bytes.concat(BatchPacking.packFill(0, 1, 500_000, 10e6), BatchPacking.packFill(2, 3, 500_000, 10e6));
        bytes memory answer = settlement.settleBatch(marketIds, orders, fills);
        uint8 spoilt = bit < 112 * 8 ? FillCodes.BUYER_SIGNATURE : FillCodes.SELLER_SIGNATURE;
        bool isMarketIndex = bit / 8 % 112 == 28;
        assertEq(uint8(answer[0]), isMarketIndex ? FillCodes.MARKET_UNKNOWN : spoilt, "the spoilt fill");
        assertEq(uint8(answer[1]), FillCodes.SETTLED, "the other fill");
        assertEq(filledOf(BUYER, 0) + filledOf(SELLER, 0), 0, "the spoilt counters");
        assertEq(filledOf(BUYER, 1), 10e6, "the other counter");
    }

    function testFuzz_arbitraryBytesSettleNothing(bytes32 seed, uint8 orderCount, uint8 fillCount) public {
        bytes32[] memory marketIds = new bytes32[](1);
        marketIds[0] = marketId;
        bytes memory orders = noise(seed, uint256(orderCount % 8) * 112);
        bytes memory fills = noise(~seed, uint256(fillCount % 16) * 13);
        for (uint256 i; i < orders.length; i += 112) {
            // Half of them name a market, so that the signature is what stops them.
            if (uint8(orders[i]) < 128) orders[i + 28] = 0;
        }
        for (uint256 i; i < fills.length; i += 13) {
            (fills[i], fills[i + 1]) = (fills[i] & 0x07, fills[i + 1] & 0x07);
        }
        bytes memory answer = settlement.settleBatch(marketIds, orders, fills);
        assertEq(answer.length, fillCount % 16, "codes answered");
        for (uint256 i; i < answer.length; ++i) {
            require(answer[i] != 0 && uint8(answer[i]) < 0x40, "settled, or not understood");
        }
    }

    function testFuzz_aBatchOfBrokenLengthIsRefusedWhole(uint8 orderBytes, uint8 fillBytes) public {
        bytes memory orders = new bytes(orderBytes);
        bytes memory fills = new bytes(fillBytes);
        if (orderBytes % 112 != 0) {
            vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.MalformedOrders.selector, orderBytes));
        } else if (fillBytes % 13 != 0) {
            vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.MalformedFills.selector, fillBytes));
        }
        settlement.settleBatch(new bytes32[](0), orders, fills);
    }

    function noise(bytes32 seed, uint256 length) private pure returns (bytes memory filled) {
        filled = new bytes(length);
        for (uint256 i; i < length; ++i) {
            if (i % 32 == 0) seed = keccak256(abi.encode(seed));
            filled[i] = seed[i % 32];
        }
    }

    function test_ordersOfSeveralMarketsSettleInOneBatch() public {
        putTrade(500_000, 10e6);
        bytes32 first = marketId;
        shares.prepareCondition(address(this), "second", 2);
        marketId = shares.getConditionId(address(this), "second", 2);
        settlement.registerMarket(marketId, CLOSE);
        putPair(500_000, 500_000, 4e6);
        putFill(2, 3, 500_000, 4e6);
        putFill(0, 3, 500_000, 1);
        send();
        assertEq(codes[0], FillCodes.SETTLED, "first market");
        assertEq(codes[1], FillCodes.SETTLED, "second market");
        assertEq(codes[2], FillCodes.MISMATCH, "across markets");
        assertEq(settlement.filled(buyer, first, 0), 10e6, "counter of the first market");
        assertEq(filledOf(BUYER, 0), 4e6, "counter of the second market");
    }

    function test_theHighTwinOfASignatureIsRefused() public {
        // The curve accepts n - s as well as s.
        uint256 n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        putTrade(500_000, 10e6);
        uint256 vs = uint256(batchSignatures[0].vs);
        uint256 s = vs & (type(uint256).max >> 1);
        uint256 twin = n - s;
        bytes32 hash = settlement.hashOrder(batchOrders[0]);
        require(ecrecover(hash, uint8(28 - (vs >> 255)), batchSignatures[0].r, bytes32(twin)) == buyer, "no twin");
        // The compact form has no room for its top bit, which reads as the parity.
        batchSignatures[0].vs = bytes32(twin | ((1 - (vs >> 255)) << 255));
        expectCode(FillCodes.BUYER_SIGNATURE);
    }

    function test_everySBetweenHalfOfTheOrderAndTheCompactLimitIsRefused() public {
        putTrade(500_000, 10e6);
        batchSignatures[0].vs = bytes32(0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1);
        expectCode(FillCodes.BUYER_SIGNATURE);
    }

    function test_anotherChainsSignatureIsRefused() public {
        putTrade(500_000, 10e6);
        vm.chainId(424242);
        expectCode(FillCodes.BUYER_SIGNATURE);
        putTrade(500_000, 10e6);
        expectCode(FillCodes.SETTLED);
    }

    function test_fillsAddUpToTheSizeAndNotFurther() public {
        putPair(500_000, 500_000, 10e6);
        putFill(0, 1, 500_000, 4e6);
        putFill(0, 1, 500_000, 6e6);
        putFill(0, 1, 500_000, 1);
        send();
        assertEq(codes[0], FillCodes.SETTLED, "first");
        assertEq(codes[1], FillCodes.SETTLED, "second");
        assertEq(codes[2], FillCodes.BUYER_OVERFILLED, "third");
        put(BUYER, BUY, 500_000, 10e6, 1);
        put(SELLER, SELL, 500_000, 10e6, 0);
        putFill(0, 1, 500_000, 1);
        expectCode(FillCodes.SELLER_OVERFILLED);
        assertEq(filledOf(BUYER, 1), 0, "the buyer's counter is restored");
    }

    function test_aFailedFillRestoresBothCounters() public {
        vm.prank(buyer);
        usd.approve(address(settlement), 0);
        put(BUYER, BUY, 500_000, 10e6, 1);
        put(SELLER, SELL, 500_000, 10e6, 2);
        putFill(0, 1, 500_000, 10e6);
        expectCode(FillCodes.BUYER_FUNDS);
        assertEq(filledOf(BUYER, 1), 0, "buyer");
        assertEq(filledOf(SELLER, 2), 0, "seller");
    }

    function testFuzz_packedCountersKeepToThemselves(uint64 nonce, uint64 first, uint64 second) public {
        nonce = nonce / 4 * 4;
        uint64[4] memory sizes = [1 + first % 1e9, 1 + second % 1e9, 7, 1 + (first ^ second) % 1e9];
        for (uint64 i; i < 4; ++i) {
            put(BUYER, BUY, 500_000, sizes[i], nonce + i);
            put(SELLER, SELL, 500_000, sizes[i], 100 + i);
            putFill(2 * i, 2 * i + 1, 500_000, sizes[i]);
        }
        send();
        for (uint64 i; i < 4; ++i) {
            assertEq(codes[i], FillCodes.SETTLED, "code");
            assertEq(filledOf(BUYER, nonce + i), sizes[i], "lane");
        }
    }

    function test_theSameNonceInAnotherMarketHasItsOwnCounter() public {
        putTrade(500_000, 10e6);
        expectCode(FillCodes.SETTLED);
        shares.prepareCondition(address(this), "second", 2);
        marketId = shares.getConditionId(address(this), "second", 2);
        settlement.registerMarket(marketId, CLOSE);
        assertEq(filledOf(BUYER, 0), 0, "counter of the second market");
        putTrade(500_000, 10e6);
        expectCode(FillCodes.SETTLED);
    }

    // ---------------------------------------------------------------- blame for money

    function test_theBuyersEmptyPurseIsTheBuyersFault() public {
        vm.prank(buyer);
        usd.transfer(address(1), RICH);
        putTrade(500_000, 10e6);
        expectCode(FillCodes.BUYER_FUNDS);
    }

    function test_theSellersEmptyPurseIsTheSellersFaultWhenHeMustMint() public {
        vm.prank(seller);
        usd.transfer(address(1), RICH);
        putTrade(500_000, 10e6);
        expectCode(FillCodes.SELLER_FUNDS);
        assertEq(usd.balanceOf(buyer), RICH, "the buyer's payment came back");
    }

    function testFuzz_sharesThatMayNotBeMovedCountAsNotHeld(uint64 dust) public {
        giveShares(seller, YES, dust);
        vm.prank(seller);
        shares.setApprovalForAll(address(settlement), false);
        putTrade(400_000, 10e6);
        expectCode(FillCodes.SETTLED);
        assertEq(uint64(settledAmounts[0]), 10e6, "everything is minted");
        assertEq(yesOf(buyer), 10e6, "buyer's shares");
        assertEq(yesOf(seller), dust, "the dust stays");
        assertEq(noOf(seller), 10e6, "seller's complement");
    }

    function test_aStrangersDustDoesNotStopASeller() public {
        vm.prank(seller);
        shares.setApprovalForAll(address(settlement), false);
        address stranger = openTrader(99, 0, 1);
        vm.prank(stranger);
        shares.safeTransferFrom(stranger, seller, ids[YES], 1, "");
        putTrade(400_000, 10e6);
        expectCode(FillCodes.SETTLED);
    }
}
