// The owner's rights behind a delay: announced, withdrawn, carried out in time or not at all.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IOwnerTimelock} from "../../src/interfaces/IOwnerTimelock.sol";
import {Production, Settlement, Shares, Stablecoin} from "./Production.sol";
import {vm} from "./Vm.sol";

contract OwnerTimelockTest {
    address private constant OWNER = address(0x0e);
    uint64 private constant DELAY = 2 days;
    IOwnerTimelock private timelock;
    Settlement private settlement;
    bytes private unpause;

    function setUp() public {
        vm.warp(1_700_000_000);
        timelock = Production.deployTimelock(OWNER, DELAY);
        settlement = Production.deploySettlement(
            address(this), address(Production.deployStablecoin()), address(Production.deployShares()), 300
        );
        settlement.pause();
        settlement.transferOwnership(address(timelock));
        timelock.acceptOwnershipOf(address(settlement));
        unpause = abi.encodeCall(settlement.unpause, ());
    }

    function announce() private returns (bytes32) {
        vm.prank(OWNER);
        return timelock.announce(address(settlement), unpause, 0);
    }

    function execute() private {
        vm.prank(OWNER);
        timelock.execute(address(settlement), unpause, 0);
    }

    function test_itOwnsWhatItWasOffered() public view {
        require(settlement.owner() == address(timelock) && timelock.owner() == OWNER, "owners");
        require(timelock.DELAY() == DELAY, "delay");
    }

    function test_aCallIsCarriedOutAfterTheDelayAndOnce() public {
        bytes32 id = announce();
        require(id == timelock.idOf(address(settlement), unpause, 0), "id");
        uint64 from = uint64(block.timestamp) + DELAY;
        require(timelock.executableFrom(id) == from, "from");
        vm.warp(from - 1);
        vm.expectRevert(abi.encodeWithSelector(IOwnerTimelock.TooEarly.selector, from));
        execute();
        vm.warp(from);
        execute();
        require(!settlement.paused(), "carried out");
        vm.expectRevert(abi.encodeWithSelector(IOwnerTimelock.NotAnnounced.selector, id));
        execute();
    }

    function test_aForgottenCallLapses() public {
        announce();
        uint64 until = uint64(block.timestamp) + DELAY + 14 days;
        vm.warp(until + 1);
        vm.expectRevert(abi.encodeWithSelector(IOwnerTimelock.TooLate.selector, until));
        execute();
    }

    function test_aCallIsWithdrawn() public {
        bytes32 id = announce();
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IOwnerTimelock.AlreadyAnnounced.selector, id));
        timelock.announce(address(settlement), unpause, 0);
        vm.prank(OWNER);
        timelock.withdraw(id);
        vm.warp(block.timestamp + DELAY);
        vm.expectRevert(abi.encodeWithSelector(IOwnerTimelock.NotAnnounced.selector, id));
        execute();
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IOwnerTimelock.NotAnnounced.selector, id));
        timelock.withdraw(id);
    }

    function testFuzz_nobodyElseAnnouncesWithdrawsOrExecutes(address stranger) public {
        vm.assume(stranger != OWNER);
        bytes32 id = announce();
        vm.warp(block.timestamp + DELAY);
        vm.startPrank(stranger);
        vm.expectRevert(IOwnerTimelock.NotOwner.selector);
        timelock.announce(address(settlement), unpause, "another");
        vm.expectRevert(IOwnerTimelock.NotOwner.selector);
        timelock.withdraw(id);
        vm.expectRevert(IOwnerTimelock.NotOwner.selector);
        timelock.execute(address(settlement), unpause, 0);
        vm.expectRevert(IOwnerTimelock.NotSelf.selector);
        timelock.setOwner(stranger);
    }

    function test_theReasonOfACallThatFailsIsTold() public {
        bytes memory wrong = abi.encodeCall(settlement.acceptOwnership, ());
        vm.prank(OWNER);
        timelock.announce(address(settlement), wrong, 0);
        vm.warp(block.timestamp + DELAY);
        vm.prank(OWNER);
        vm.expectRevert(IOwnedRoles.NotPendingOwner.selector);
        timelock.execute(address(settlement), wrong, 0);
    }

    function test_anotherOwnerIsAnnouncedToo() public {
        bytes memory change = abi.encodeCall(timelock.setOwner, (address(0x0f)));
        vm.prank(OWNER);
        timelock.announce(address(timelock), change, 0);
        vm.warp(block.timestamp + DELAY);
        vm.prank(OWNER);
        timelock.execute(address(timelock), change, 0);
        require(timelock.owner() == address(0x0f), "owner");
    }
}
