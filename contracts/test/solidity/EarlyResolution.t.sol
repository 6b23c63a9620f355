// Markets whose answer may be known before their expiration.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus} from "../../src/interfaces/IMarket.sol";
import {IResolution} from "../../src/interfaces/IResolution.sol";
import {ResolutionFixture} from "./ResolutionFixture.sol";
import {vm} from "./Vm.sol";

contract EarlyResolutionTest is ResolutionFixture {
    function setUp() public override {
        super.setUp();
        openEarlyMarket(EXPIRATION);
    }

    function test_itIsAllowedWhereTheMarketSaysSo() public {
        require(market.earlyResolution() && market.status() == MarketStatus.Open, "early");
        openMarket(false, EXPIRATION);
        require(!market.earlyResolution(), "not early");
        refuse(permitOf(PROPOSER), YES, abi.encodeWithSelector(IResolution.MarketNotExpired.selector));
    }

    function testFuzz_anAnswerThatIsKnownEarlyIsPaidEarly(bool disputed) public {
        bytes32 id = proposeOwn(YES);
        require(market.status() == MarketStatus.Proposed, "proposed");
        if (disputed) {
            dispute(id);
            arbitrate(id, true);
        } else {
            vm.warp(block.timestamp + WINDOW);
            market.settle();
        }
        require(block.timestamp < EXPIRATION && market.status() == MarketStatus.Resolved, "resolved early");
        assertEq(shares.payoutNumerators(marketId, YES), 1, "YES");
        assertEq(settlement.settlesUntil(marketId), block.timestamp + 120, "trading ends");
    }

    function test_aProposalThatCameTooEarlyLeavesTheMarketOpen() public {
        bytes32 id = proposeOwn(YES);
        dispute(id);
        arbitrate(id, false);
        require(market.status() == MarketStatus.Open, "open again");
        usd.mint(vm.addr(PROPOSER), BOND);
        vm.warp(EXPIRATION);
        proposeOwn(YES);
        vm.warp(EXPIRATION + WINDOW);
        market.settle();
        assertEq(shares.payoutNumerators(marketId, YES), 1, "YES after all");
    }

    function test_theClockOfAHalfDoesNotStartBeforeTheExpiration() public {
        bytes32 id = proposeOwn(YES);
        dispute(id);
        arbitrate(id, false);
        assertEq(market.voidableFrom(), EXPIRATION + VOID_DELAY, "voidable from");
    }
}
