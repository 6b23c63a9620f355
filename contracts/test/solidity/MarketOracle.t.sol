// Another oracle for markets that are still open: announced by the owner, and only where the old one serves no more.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IMarketOracle} from "../../src/interfaces/IMarketOracle.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {Oracle, Production} from "./Production.sol";
import {ResolutionFixture} from "./ResolutionFixture.sol";
import {vm} from "./Vm.sol";

contract MarketOracleTest is ResolutionFixture {
    uint64 private constant DELAY = 7 days;
    IMarketOracle private source;
    Oracle private replacement;

    function setUp() public override {
        super.setUp();
        source = IMarketOracle(market.marketOracle());
        replacement = Production.deployOracle(ARBITRATOR, SECOND, address(usd), MINIMUM_BOND);
    }

    function silence() private {
        vm.mockCallRevert(address(oracle), abi.encodeCall(oracle.getMinimumBond, (address(usd))), "gone");
    }

    /// @dev As UMA's oracle answers once its list of tokens has changed.
    function delist(bool isListed) private {
        vm.mockCall(address(oracle), abi.encodeWithSignature("syncUmaParams(bytes32,address)"), "");
        bytes memory question = abi.encodeWithSignature("cachedCurrencies(address)", address(usd));
        vm.mockCall(address(oracle), question, abi.encode(isListed, 0));
    }

    function test_anOracleThatServesIsKept() public {
        require(source.serves() && source.oracle() == address(oracle), "serves");
        source.announceReplacement(address(replacement));
        vm.warp(block.timestamp + DELAY);
        vm.expectRevert(IMarketOracle.OracleStillServes.selector);
        source.replace();
        delist(true);
        vm.expectRevert(IMarketOracle.OracleStillServes.selector);
        source.replace();
        require(market.oracle() == address(oracle), "kept");
    }

    function testFuzz_anOracleThatIsSilentOrDelistedTheTokenIsReplaced(bool silent) public {
        if (silent) silence();
        else delist(false);
        source.announceReplacement(address(replacement));
        uint64 from = uint64(block.timestamp) + DELAY;
        vm.warp(from - 1);
        vm.expectRevert(abi.encodeWithSelector(IMarketOracle.TooEarlyToReplace.selector, from));
        source.replace();
        vm.warp(from);
        vm.prank(address(0xbad));
        source.replace();
        require(market.oracle() == address(replacement), "replaced");
        vm.expectRevert(IMarketOracle.NothingAnnounced.selector);
        source.replace();
    }

    function test_onlyTheOwnerAnnouncesAndWithdraws() public {
        vm.prank(address(0xbad));
        vm.expectRevert(IOwnedRoles.NotOwner.selector);
        source.announceReplacement(address(replacement));
        vm.expectRevert(abi.encodeWithSelector(IMarketOracle.NotAnOracle.selector, address(0xbad)));
        source.announceReplacement(address(0xbad));
        source.announceReplacement(address(replacement));
        source.announceReplacement(address(0));
        silence();
        vm.warp(block.timestamp + DELAY);
        vm.expectRevert(IMarketOracle.NothingAnnounced.selector);
        source.replace();
    }

    /// @dev Lack of gas must not look like silence.
    function testFuzz_noGasLimitReplacesAnOracleThatServes(uint32 gas) public {
        source.announceReplacement(address(replacement));
        vm.warp(block.timestamp + DELAY);
        try source.replace{gas: 30_000 + gas % 2_000_000}() {
            revert("replaced");
        } catch {}
    }

    /// @dev A market goes on at the new oracle, and what was asserted at the old one still counts.
    function testFuzz_aMarketGoesOnAtTheNewOracle(bool old) public {
        vm.warp(EXPIRATION);
        bytes32 no = propose(SPONSOR, NO, permitOf(SPONSOR));
        dispute(no);
        silence();
        source.announceReplacement(address(replacement));
        vm.warp(block.timestamp + DELAY);
        source.replace();
        bytes32 yes = proposeOwn(YES);
        require(replacement.getAssertion(yes).asserter == address(market), "at the new one");
        if (old) {
            arbitrate(no, true);
            assertEq(shares.payoutNumerators(marketId, NO), 1, "the old one decides");
            return;
        }
        arbitrate(no, false);
        vm.warp(block.timestamp + WINDOW);
        market.settle();
        assertEq(shares.payoutNumerators(marketId, YES), 1, "the new one decides");
        assertEq(usd.balanceOf(vm.addr(PROPOSER)), BOND, "bond");
    }

    /// @dev What lies at an oracle that died before anybody disputed it can neither be settled nor disputed.
    function test_aLieAtADeadOraclePrecedesNothingAtTheNewOne() public {
        vm.warp(EXPIRATION);
        bytes32 no = propose(SPONSOR, NO, permitOf(SPONSOR));
        silence();
        vm.mockCallRevert(address(oracle), abi.encodeWithSignature("getAssertion(bytes32)", no), "gone");
        vm.mockCallRevert(address(oracle), abi.encodeWithSignature("settleAssertion(bytes32)", no), "gone");
        source.announceReplacement(address(replacement));
        vm.warp(block.timestamp + DELAY);
        source.replace();
        proposeOwn(YES);
        vm.warp(block.timestamp + WINDOW);
        market.settle();
        assertEq(shares.payoutNumerators(marketId, YES), 1, "the truth counts");
    }
}
