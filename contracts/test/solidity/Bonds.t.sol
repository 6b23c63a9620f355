// Who pays a proposal's bond, by which leave, and to whom it returns.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BondPayment} from "../../src/interfaces/ISignedProposals.sol";
import {IResolution} from "../../src/interfaces/IResolution.sol";
import {ResolutionFixture} from "./ResolutionFixture.sol";
import {vm} from "./Vm.sol";

contract BondsTest is ResolutionFixture {
    function setUp() public override {
        super.setUp();
        vm.warp(EXPIRATION);
    }

    function test_aPermitThatSomebodySubmittedBeforeCountsAsDone() public {
        BondPayment memory payment = permitOf(PROPOSER);
        usd.permit(
            payment.payer, address(market), BOND, payment.permitDeadline, payment.v, payment.r, payment.s
        );
        propose(PROPOSER, YES, payment);
        assertEq(usd.balanceOf(address(oracle)), BOND, "bond");
    }

    function test_anAllowanceNeedsNoPermit() public {
        vm.prank(vm.addr(PROPOSER));
        usd.approve(address(market), BOND);
        propose(PROPOSER, YES, noPermit(vm.addr(PROPOSER)));
        assertEq(usd.balanceOf(address(oracle)), BOND, "bond");
    }

    function testFuzz_aBadPermitIsNoBond(uint8 v, bytes32 r, bytes32 s) public {
        BondPayment memory payment = BondPayment(vm.addr(PROPOSER), block.timestamp, v, r, s);
        refuse(payment, YES, unavailable(vm.addr(PROPOSER), 0));
    }

    function test_aBondBeyondThePurseIsRefusedClearly() public {
        vm.prank(vm.addr(PROPOSER));
        usd.transfer(address(1), 1);
        refuse(permitOf(PROPOSER), YES, unavailable(vm.addr(PROPOSER), BOND - 1));
    }

    function test_aSponsorsBondReturnsToTheSponsor() public {
        propose(PROPOSER, YES, permitOf(SPONSOR));
        assertEq(usd.balanceOf(vm.addr(SPONSOR)), 0, "paid");
        require(market.resolution().proposer == vm.addr(PROPOSER), "the signer is the proposer");
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        assertEq(usd.balanceOf(vm.addr(SPONSOR)), BOND, "returned");
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "untouched");
    }

    function test_nobodyElsePaysThanTheProposerOrTheSender() public {
        uint256 deadline = block.timestamp + 1 hours;
        (uint8 v, bytes32 r, bytes32 s) = signProposal(PROPOSER, YES, address(0), deadline);
        BondPayment memory payment = permitOf(SPONSOR);
        vm.prank(address(0xbad));
        vm.expectRevert(
            abi.encodeWithSelector(IResolution.BondPayerNotAllowed.selector, vm.addr(SPONSOR))
        );
        market.proposeResolutionBySig(vm.addr(PROPOSER), YES, deadline, v, r, s, payment);
    }

    function test_whereAPermitIsRequiredNobodySponsors() public {
        vm.warp(START);
        openMarket(true, EXPIRATION);
        vm.warp(EXPIRATION);
        require(market.bondPermitRequired(), "required");
        refuse(
            permitOf(SPONSOR),
            YES,
            abi.encodeWithSelector(IResolution.BondPayerNotAllowed.selector, vm.addr(SPONSOR))
        );
        proposeOwn(YES);
    }

    function test_theBondRisesWithTheOraclesMinimum() public {
        assertEq(market.bond(), BOND, "agreed");
        bytes memory ask = abi.encodeWithSignature("getMinimumBond(address)", address(usd));
        vm.mockCall(address(oracle), ask, abi.encode(BOND + 7));
        assertEq(market.bond(), BOND + 7, "minimum");
        usd.mint(vm.addr(PROPOSER), 7);
        proposeOwn(YES);
        assertEq(usd.balanceOf(address(oracle)), BOND + 7, "drawn");
    }

    function unavailable(address payer, uint256 available) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IResolution.BondUnavailable.selector, payer, available, BOND);
    }
}
