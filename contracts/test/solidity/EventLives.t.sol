// Random lives of events: after every step the collateral is what each possible result would pay, and redemptions pay it out.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EventFixture} from "./EventFixture.sol";
import {vm} from "./Vm.sol";

contract EventLivesTest is EventFixture {
    uint256 private constant ACTORS = 3;
    uint256 private constant STEPS = 24;
    uint256 private seed;

    function testFuzz_theCollateralIsWhatEveryResultPays(uint256 first, uint8 outcomes) public {
        seed = first;
        openEvent(2 + uint256(outcomes) % 4);
        for (uint256 i; i < ACTORS; ++i) fund(actor(i));
        for (uint256 step; step < STEPS; ++step) {
            act(actor(draw(ACTORS)), 1 + draw(5e6));
            requireCovered();
        }
        endWith(draw(count + 1));
    }

    function act(address account, uint256 amount) private {
        uint256 kind = draw(6);
        uint256 index = draw(count);
        uint256 set = 1 + draw(all);
        if (kind == 0) split(account, pairOf(yesSet(index), noSet(index)), amount);
        else if (kind == 1) tryMerge(account, index);
        else if (kind == 2) tryBreakNo(account, index);
        else if (kind == 3) tryConvert(account, set);
        else if (kind == 4) mintOnSale(account, index, amount);
        else split(account, singlesOf(all), amount);
    }

    function tryMerge(address account, uint256 index) private {
        uint256 amount = least(held(account, yesSet(index)), held(account, noSet(index)));
        merge(account, pairOf(yesSet(index), noSet(index)), amount);
    }

    function tryBreakNo(address account, uint256 index) private {
        uint256[] memory parts = singlesOf(noSet(index));
        if (parts.length < 2) return;
        split(account, parts, held(account, noSet(index)) / 2);
    }

    /// @dev As much as they hold of all of them.
    function tryConvert(address account, uint256 indexes) private {
        uint256 amount = type(uint256).max;
        for (uint256 i; i < count; ++i) {
            if (indexes >> i & 1 == 1) amount = least(amount, held(account, noSet(i)));
        }
        convert(account, indexes, amount);
    }

    /// @dev What a fill does that mints: YES to one, NO to another.
    function mintOnSale(address account, uint256 index, uint256 amount) private {
        vm.prank(account);
        shares.splitTo(address(usd), marketOf(index), amount, account, actor(draw(ACTORS)));
    }

    function requireCovered() private {
        uint256 collateral = usd.balanceOf(address(shares));
        for (uint256 result; result < count; ++result) {
            uint256 due;
            for (uint256 set = 1; set < all; ++set) {
                if (set >> result & 1 == 1) due += supplyOf(set);
            }
            assertEq(due, collateral, "what a result would pay");
        }
    }

    function supplyOf(uint256 set) private returns (uint256 sum) {
        for (uint256 i; i < ACTORS; ++i) sum += held(actor(i), set);
    }

    /// @param result an outcome, or as many as there are: all pay the same
    function endWith(uint256 result) private {
        uint256[] memory payouts = new uint256[](count);
        for (uint256 i; i < count; ++i) payouts[i] = result == count || result == i ? 1 : 0;
        shares.reportPayouts("event", payouts);
        uint256[] memory sets = new uint256[](all - 1);
        for (uint256 set = 1; set < all; ++set) sets[set - 1] = set;
        for (uint256 i; i < ACTORS; ++i) {
            vm.prank(actor(i));
            shares.redeemPositions(address(usd), 0, eventId, sets);
        }
        // Each position is rounded down once.
        require(usd.balanceOf(address(shares)) <= (result == count ? ACTORS * all : 0), "everything was paid out");
    }

    function actor(uint256 index) private pure returns (address) {
        return vm.addr(100 + index);
    }

    function draw(uint256 bound) private returns (uint256) {
        seed = uint256(keccak256(abi.encode(seed)));
        return seed % bound;
    }

    function least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}
