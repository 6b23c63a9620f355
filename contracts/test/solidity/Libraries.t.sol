// The pure libraries against plain restatements of what they promise.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";
import {CostMath} from "../../src/libraries/CostMath.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {FilledAmounts} from "../../src/libraries/FilledAmounts.sol";
import {Fill, FillWords} from "../../src/libraries/FillWords.sol";
import {OrderTable} from "../../src/libraries/OrderTable.sol";
import {OrderRef, OrderWords} from "../../src/libraries/OrderWords.sol";
import {BatchPacking, Signature} from "./BatchPacking.sol";
import {vm} from "./Vm.sol";

contract LibrariesTest {
    address private constant TRADER = address(0x7ade);
    bytes32 private constant MARKET = "market";

    function testFuzz_costIsTheCeiling(uint64 price, uint64 size) public pure {
        uint256 cost = CostMath.costOf(price, size);
        uint256 product = uint256(price) * size;
        require(cost * 1e6 >= product, "too little");
        require(cost == 0 || (cost - 1) * 1e6 < product, "too much");
    }

    function testFuzz_costOfALegalFillIsPositiveAndAtMostItsSize(uint64 price, uint64 size) public pure {
        uint256 legal = 1 + price % 999_999;
        if (size == 0) return;
        uint256 cost = CostMath.costOf(legal, size);
        require(cost > 0 && cost <= size, "cost outside 1..size");
    }

    function testFuzz_aLaneGrowsAndItsNeighboursStay(uint256 word, uint64 nonce, uint64 amount) public {
        uint256 held = FilledAmounts.laneOf(word, nonce) & 0x7fffffff;
        if (held > FilledAmounts.MAX_IN_LANE) return;
        uint256 added = amount % (FilledAmounts.MAX_IN_LANE - held + 1);
        uint256 grown = FilledAmounts.plus(word, nonce, added);
        require(amountOf(grown, nonce) == held + added, "lane");
        require(isFlagged(grown, nonce) == isFlagged(word, nonce), "flag");
        requireNeighboursEqual(word, grown, nonce);
        require(grown == FilledAmounts.withAmount(word, TRADER, MARKET, nonce, held + added), "the same word");
    }

    /// @dev From any amount to any other: across the border between the lane and a word of its own, both ways.
    function testFuzz_anAmountIsKeptWhereverItFits(uint256 word, uint64 nonce, uint64 first, uint64 second) public {
        uint256 before = FilledAmounts.withAmount(word, TRADER, MARKET, nonce, first);
        require(amountOf(before, nonce) == first, "first");
        uint256 afterwards = FilledAmounts.withAmount(before, TRADER, MARKET, nonce, second);
        require(amountOf(afterwards, nonce) == second, "second");
        require(isFlagged(afterwards, nonce) == isFlagged(word, nonce), "flag");
        requireNeighboursEqual(word, afterwards, nonce);
        require(amountOf(FilledAmounts.withAmount(0, TRADER, MARKET, ~nonce, 1 << 40), ~nonce) == 1 << 40, "another");
        require(amountOf(afterwards, nonce) == second, "overwritten by another order");
    }

    function test_theBorderBetweenALaneAndAWordOfItsOwn() public {
        uint256 most = FilledAmounts.MAX_IN_LANE;
        require(most == 0x7ffffffe, "most");
        uint256 word = FilledAmounts.withAmount(0, TRADER, MARKET, 9, most);
        require(word == most << 32 && amountOf(word, 9) == most, "in its lane");
        word = FilledAmounts.withAmount(word, TRADER, MARKET, 9, most + 1);
        require(word == (most + 1) << 32 && amountOf(word, 9) == most + 1, "in a word of its own");
        require(amountOf(FilledAmounts.withAmount(word, TRADER, MARKET, 9, 7), 9) == 7, "back in its lane");
    }

    function testFuzz_aFlagLeavesEveryAmountAlone(uint256 word, uint64 nonce) public view {
        uint256 flagged = FilledAmounts.withFlag(word, nonce);
        require(isFlagged(flagged, nonce), "flag");
        require(amountOf(flagged, nonce) == amountOf(word, nonce), "amount");
        requireNeighboursEqual(word, flagged, nonce);
    }

    function testFuzz_eightNoncesShareASlotAndNoNinth(address trader, bytes32 market, uint64 nonce) public pure {
        uint256 first = uint256(nonce) / 8 * 8;
        bytes32 slot = FilledAmounts.slotOf(trader, market, first);
        for (uint256 i = 1; i < 8; ++i) {
            require(FilledAmounts.slotOf(trader, market, first + i) == slot, "apart");
        }
        require(FilledAmounts.slotOf(trader, market, first + 8) != slot, "together");
        require(FilledAmounts.slotOf(trader, ~market, first) != slot, "markets together");
        require(FilledAmounts.slotOf(address(~uint160(trader)), market, first) != slot, "traders together");
    }

    // ---------------------------------------------------------------- packed orders and fills

    function testFuzz_aPackedOrderIsUnpackedFieldByField(Order memory order, uint8 index, uint8 marketIndex, bytes32 domain)
        public
        view
    {
        Order memory legal = legalOrder(order, vm.addr(7));
        bytes32 structHash = keccak256(abi.encode(OrderWords.ORDER_TYPEHASH, legal));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, structHash));
        bytes memory packed = BatchPacking.packOrder(legal, marketIndex, signatureOf(7, digest));
        // What stands before it must not leak in.
        bytes memory before = new bytes(112 * uint256(index % 5));
        for (uint256 i; i < before.length; ++i) before[i] = 0xff;
        bytes32[] memory marketIds = new bytes32[](256);
        marketIds[marketIndex] = legal.marketId;
        this.requireUnpacked(bytes.concat(before, packed), index % 5, marketIds, domain, legal, digest);
    }

    function requireUnpacked(
        bytes calldata orders,
        uint256 index,
        bytes32[] calldata marketIds,
        bytes32 domain,
        Order calldata expected,
        bytes32 digest
    ) external view {
        OrderTable memory table = openTable(marketIds, orders, domain, 0);
        OrderRef order = table.orderAt(index);
        require(OrderRef.unwrap(table.orderAt(index)) == OrderRef.unwrap(order), "unpacked twice");
        require(table.orderAt(index + 1).isMissing(), "an order behind the last");
        require(order.digest() == digest, "digest");
        require(order.flaw() == 0, "signature");
        require(order.marketId() == expected.marketId && order.trader() == expected.trader, "market, trader");
        require(order.side() == expected.side && order.outcome() == expected.outcome, "side, outcome");
        require(order.price() == expected.price && order.nonce() == expected.nonce, "price, nonce");
        require(order.size() == expected.size, "size");
        requireExpiration(orders, index, marketIds, domain, expected.expiration);
    }

    function requireExpiration(
        bytes calldata orders,
        uint256 index,
        bytes32[] calldata marketIds,
        bytes32 domain,
        uint64 expiration
    ) private view {
        OrderTable memory table = openTable(marketIds, orders, domain, expiration);
        require(table.orderAt(index).flaw() == 0, "in its last second");
        table = openTable(marketIds, orders, domain, uint256(expiration) + 1);
        require(table.orderAt(index).flaw() == FillCodes.BUYER_EXPIRED, "one second later");
    }

    function openTable(bytes32[] calldata marketIds, bytes calldata orders, bytes32 domain, uint256 oldestExpiration)
        private
        pure
        returns (OrderTable memory table)
    {
        table.open(marketIds, orders);
        (table.checks.prefix, table.checks.domainSeparator) = (0x1901, domain);
        table.checks.oldestExpiration = oldestExpiration;
    }

    function testFuzz_anOrderWhoseMarketIsNotInTheListIsMissing(Order memory order, uint8 marketIndex, uint8 count) public view {
        bytes memory packed = BatchPacking.packOrder(legalOrder(order, vm.addr(7)), marketIndex, Signature(0, 0));
        bool missing = this.isMissing(packed, new bytes32[](count));
        require(missing == (marketIndex >= count), "missing");
    }

    function isMissing(bytes calldata orders, bytes32[] calldata marketIds) external view returns (bool) {
        return openTable(marketIds, orders, 0, 0).orderAt(0).isMissing();
    }

    function testFuzz_aPackedFillIsReadFieldByField(uint8 buy, uint8 sell, uint24 price, uint64 size, uint8 index) public view {
        bytes memory before = new bytes(13 * uint256(index));
        bytes memory packed = bytes.concat(before, BatchPacking.packFill(buy, sell, price, size), hex"ffff");
        Fill fill = this.fillAt(packed, index);
        require(fill.buyIndex() == buy && fill.sellIndex() == sell, "indexes");
        require(fill.price() == price % (1 << 20) && fill.size() == size, "price, size");
        require(fill.priceAndSize() == fill.price() << 64 | size, "both");
        require(fill.sellerTakes() == (price & (1 << 20) != 0), "who takes");
        require(fill.flags() == price - price % (1 << 21), "flags");
        require(FillWords.MUST_NOT_MINT | FillWords.BOTH_LEDGERS == 7 << 21, "all of them");
        require(fill.tillKey() == tillKeyOf(buy, sell, price), "till");
    }

    function tillKeyOf(uint256 buy, uint256 sell, uint24 price) private pure returns (uint256) {
        (bool buyer, bool seller) = (price & (1 << 22) != 0, price & (1 << 21) != 0);
        if (buyer == seller) return 0;
        return seller ? 256 + buy : 512 + sell;
    }

    function fillAt(bytes calldata fills, uint256 index) external pure returns (Fill) {
        return FillWords.fillAt(fills, index);
    }

    function legalOrder(Order memory order, address trader) private pure returns (Order memory) {
        (order.trader, order.makerFeeRecipient) = (trader, address(0));
        (order.side, order.outcome, order.price) = (order.side % 2, order.outcome % 2, order.price % (1 << 22));
        return order;
    }

    function signatureOf(uint256 key, bytes32 digest) private pure returns (Signature memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return Signature(r, bytes32(uint256(s) | (uint256(v - 27) << 255)));
    }

    // ----------------------------------------------------------------

    function requireNeighboursEqual(uint256 before, uint256 afterwards, uint256 nonce) private pure {
        for (uint256 lane; lane < 8; ++lane) {
            if (lane == nonce % 8) continue;
            require(uint32(before >> (32 * lane)) == uint32(afterwards >> (32 * lane)), "a neighbour changed");
        }
    }

    function isFlagged(uint256 word, uint64 nonce) private pure returns (bool) {
        return FilledAmounts.isCancelRequested(word, nonce);
    }

    function amountOf(uint256 word, uint64 nonce) private view returns (uint256) {
        return FilledAmounts.amountOf(word, TRADER, MARKET, nonce);
    }
}
