// A settlement with an event whose oracle is the test, and holders of its shares.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OutcomeIds} from "../../src/libraries/OutcomeIds.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

abstract contract EventFixture is SettlementFixture {
    uint256 internal constant KEY = 77;
    address internal owner;
    bytes32 internal eventId;
    uint256 internal count;
    uint256 internal all;
    /// @dev Position ids by index set, which cost a root of the curve each.
    mapping(bytes32 eventId => mapping(uint256 indexSet => uint256)) private _positions;

    function openEvent(uint256 outcomes) internal {
        count = outcomes;
        all = (1 << outcomes) - 1;
        eventId = shares.prepareEvent(address(usd), "event", outcomes);
        owner = vm.addr(KEY);
        fund(owner);
    }

    function fund(address account) internal {
        usd.mint(account, RICH);
        vm.startPrank(account);
        usd.approve(address(shares), type(uint256).max);
        usd.approve(address(settlement), type(uint256).max);
        shares.setApprovalForAll(address(settlement), true);
        vm.stopPrank();
    }

    function marketOf(uint256 index) internal view returns (bytes32) {
        return OutcomeIds.marketId(eventId, index, count);
    }

    function yesSet(uint256 index) internal pure returns (uint256) {
        return 1 << index;
    }

    function noSet(uint256 index) internal view returns (uint256) {
        return all ^ (1 << index);
    }

    function positionOf(uint256 indexSet) internal returns (uint256 id) {
        id = _positions[eventId][indexSet];
        if (id != 0) return id;
        id = shares.getPositionId(address(usd), shares.getCollectionId(0, eventId, indexSet));
        _positions[eventId][indexSet] = id;
    }

    function held(address account, uint256 indexSet) internal returns (uint256) {
        return shares.balanceOf(account, positionOf(indexSet));
    }

    function pairOf(uint256 first, uint256 second) internal pure returns (uint256[] memory partition) {
        partition = new uint256[](2);
        (partition[0], partition[1]) = (first, second);
    }

    /// @notice The single outcomes of an index set.
    function singlesOf(uint256 indexSet) internal pure returns (uint256[] memory singles) {
        uint256 length;
        for (uint256 rest = indexSet; rest != 0; rest &= rest - 1) ++length;
        singles = new uint256[](length);
        uint256 place;
        for (uint256 i; i < 128; ++i) {
            if (indexSet >> i & 1 == 1) singles[place++] = 1 << i;
        }
    }

    function split(address account, uint256[] memory partition, uint256 amount) internal {
        vm.prank(account);
        shares.splitPosition(address(usd), 0, eventId, partition, amount);
    }

    function merge(address account, uint256[] memory partition, uint256 amount) internal {
        vm.prank(account);
        shares.mergePositions(address(usd), 0, eventId, partition, amount);
    }

    function convert(address account, uint256 indexes, uint256 amount) internal {
        vm.prank(account);
        shares.convertPositions(eventId, indexes, amount);
    }
}
