// What a batch refuses, code by code, and who is blamed when money is missing.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {BatchPacking, Signature} from "./BatchPacking.sol";
import {TwoTraders} from "./TwoTraders.sol";
import {vm} from "./Vm.sol";

contract SettlementRefusalsTest is TwoTraders {
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
        settlement.registerMarket(marketId, CLOSE, 0, 0);
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
        settlement.registerMarket(marketId, CLOSE, 0, 0);
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
        settlement.registerMarket(marketId, CLOSE, 0, 0);
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
