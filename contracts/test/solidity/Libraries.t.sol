// The pure libraries against plain restatements of what they promise.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CostMath} from "../../src/libraries/CostMath.sol";
import {FilledAmounts} from "../../src/libraries/FilledAmounts.sol";

contract LibrariesTest {
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

    function testFuzz_aLaneGrowsAndItsNeighboursStay(uint256 word, uint64 nonce, uint64 amount) public pure {
        uint256 held = FilledAmounts.amountIn(word, nonce);
        uint256 added = amount % (FilledAmounts.MAX_AMOUNT - held + 1);
        uint256 grown = FilledAmounts.plus(word, nonce, added);
        require(FilledAmounts.amountIn(grown, nonce) == held + added, "lane");
        require(FilledAmounts.isFlagged(grown, nonce) == FilledAmounts.isFlagged(word, nonce), "flag");
        requireNeighboursEqual(word, grown, nonce);
    }

    function testFuzz_aFlagLeavesEveryAmountAlone(uint256 word, uint64 nonce) public pure {
        uint256 flagged = FilledAmounts.withFlag(word, nonce);
        require(FilledAmounts.isFlagged(flagged, nonce), "flag");
        require(FilledAmounts.amountIn(flagged, nonce) == FilledAmounts.amountIn(word, nonce), "amount");
        requireNeighboursEqual(word, flagged, nonce);
    }

    function testFuzz_fourNoncesShareASlotAndNoFifth(address trader, bytes32 market, uint64 nonce) public pure {
        uint256 first = uint256(nonce) / 4 * 4;
        bytes32 slot = FilledAmounts.slotOf(trader, market, first);
        for (uint256 i = 1; i < 4; ++i) {
            require(FilledAmounts.slotOf(trader, market, first + i) == slot, "apart");
        }
        require(FilledAmounts.slotOf(trader, market, first + 4) != slot, "together");
        require(FilledAmounts.slotOf(trader, ~market, first) != slot, "markets together");
        require(FilledAmounts.slotOf(address(~uint160(trader)), market, first) != slot, "traders together");
    }

    function requireNeighboursEqual(uint256 before, uint256 afterwards, uint256 nonce) private pure {
        for (uint256 lane; lane < 4; ++lane) {
            if (lane == nonce % 4) continue;
            require(uint64(before >> (64 * lane)) == uint64(afterwards >> (64 * lane)), "a neighbour changed");
        }
    }
}
