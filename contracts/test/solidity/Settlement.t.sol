// What a fill moves, in every branch, and how it is counted.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {TwoTraders} from "./TwoTraders.sol";
import {vm} from "./Vm.sol";

contract SettlementTest is TwoTraders {
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
}
