// Random traders, batches, forgeries, proposals, disputes and resolutions; and what must hold after each of them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Resolution} from "../../src/interfaces/IMarket.sol";
import {IOptimisticOracle} from "../../src/interfaces/IOptimisticOracle.sol";
import {Oracle, ResolvingMarket, Settlement, Shares, Stablecoin} from "./Production.sol";
import {ResolutionHandler} from "./ResolutionHandler.sol";
import {vm} from "./Vm.sol";

contract InvariantsTest {
    ResolutionHandler private handler;
    Stablecoin private usd;
    Shares private shares;
    Settlement private settlement;
    Oracle private oracle;
    ResolvingMarket private market;
    bytes32 private marketId;
    uint256[2] private ids;

    function setUp() public {
        handler = new ResolutionHandler();
        handler.start();
        (usd, shares, settlement, oracle, marketId, ids[0], ids[1]) = handler.world();
        market = handler.theMarket();
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() public view returns (FuzzSelector[] memory chosen) {
        bytes4[] memory selectors = new bytes4[](21);
        // Settling and the oracle are what this is about: they get several tickets in the draw.
        for (uint256 i; i < 5; ++i) {
            selectors[i] = handler.settle.selector;
        }
        (selectors[5], selectors[6]) = (handler.split.selector, handler.merge.selector);
        (selectors[7], selectors[8]) = (handler.give.selector, handler.toggleApproval.selector);
        selectors[20] = handler.cancel.selector;
        (selectors[9], selectors[10]) = (handler.wait.selector, handler.wait.selector);
        (selectors[11], selectors[12]) = (handler.proposeOutcome.selector, handler.proposeOutcome.selector);
        (selectors[13], selectors[14]) = (handler.settleProposal.selector, handler.settleProposal.selector);
        (selectors[15], selectors[16]) = (handler.disputeProposal.selector, handler.judge.selector);
        (selectors[17], selectors[18]) = (handler.forgeProposal.selector, handler.voidOut.selector);
        selectors[19] = handler.redeem.selector;
        chosen = new FuzzSelector[](1);
        chosen[0] = FuzzSelector(address(handler), selectors);
    }

    /// @dev Invariants over a handler that never settles anything would prove nothing.
    function test_theHandlerBothSettlesAndFails() public {
        for (uint256 i; i < 60; ++i) {
            uint256 dice = uint256(keccak256(abi.encode(i)));
            uint64[3] memory prices = [uint64(dice), uint64(dice >> 64), uint64(dice >> 128)];
            uint64[3] memory sizes = [uint64(dice >> 32) % 1e6, uint64(dice >> 96) % 1e6, uint64(dice >> 160) % 1e6];
            handler.settle(dice, uint64(dice >> 192), prices, sizes, uint8(i));
        }
        require(handler.settledFills() > 20, "hardly anything settled");
        require(handler.failedFills() > 20, "hardly anything failed");
    }

    /// @dev The same for one that never resolves anything.
    function test_theHandlerRejectsResolvesAndRedeems() public {
        vm.warp(market.expiration());
        handler.proposeOutcome(0, true, true);
        handler.disputeProposal(0);
        handler.judge(false);
        require(handler.rejected() == 1 && market.resolution().round == 1, "rejected");
        handler.proposeOutcome(1, false, false);
        handler.settleProposal(2, 2, 0, 1);
        require(handler.undisputed() == 0, "too early");
        handler.settleProposal(2, 2, 0, 0);
        require(handler.undisputed() == 1 && market.resolution().resolved, "resolved");
        uint256 supply = handler.supplyOf(1);
        handler.redeem(0);
        require(handler.supplyOf(1) < supply, "redeemed");
    }

    function test_theHandlerUpholds() public {
        vm.warp(market.expiration());
        handler.proposeOutcome(3, true, false);
        handler.disputeProposal(0);
        handler.judge(true);
        require(handler.upheld() == 1 && market.resolution().resolved, "upheld");
    }

    function invariant_collateralCoversEveryClaim() public view {
        uint256 held = usd.balanceOf(address(shares));
        uint256 denominator = shares.payoutDenominator(marketId);
        uint256 yes = handler.supplyOf(0);
        uint256 no = handler.supplyOf(1);
        if (denominator == 0) {
            require(held == yes && held == no, "collateral, YES and NO differ before the resolution");
        } else {
            uint256 claims =
                yes * shares.payoutNumerators(marketId, 0) + no * shares.payoutNumerators(marketId, 1);
            require(held * denominator >= claims, "collateral does not cover the claims");
        }
    }

    function invariant_noOrderIsFilledBeyondItsSize() public view {
        require(!handler.hasOverfilledOrder(), "overfilled");
    }

    function invariant_whoSignsNothingLosesNothing() public view {
        address bystander = vm.addr(handler.BYSTANDER());
        require(usd.balanceOf(bystander) == 1_000e6, "stablecoin");
        require(shares.balanceOf(bystander, ids[0]) == 1_000e6, "YES");
        require(shares.balanceOf(bystander, ids[1]) == 1_000e6, "NO");
        for (uint64 nonce; nonce < handler.NONCES(); ++nonce) {
            require(settlement.filled(bystander, marketId, nonce) == 0, "counter");
        }
    }

    function invariant_theSettlementAndTheMarketKeepNothing() public view {
        require(usd.balanceOf(address(settlement)) == 0 && usd.balanceOf(address(market)) == 0, "stablecoin");
        require(shares.balanceOf(address(settlement), ids[0]) == 0, "YES");
        require(shares.balanceOf(address(settlement), ids[1]) == 0, "NO");
    }

    function invariant_theOracleHoldsTheBondsThatAreOutAndNothingElse() public view {
        uint256 bonds;
        for (uint256 i; i < handler.assertionCount(); ++i) {
            IOptimisticOracle.Assertion memory made = oracle.getAssertion(handler.assertions(i));
            if (!made.settled) bonds += made.disputer == address(0) ? made.bond : 2 * made.bond;
        }
        require(usd.balanceOf(address(oracle)) == bonds, "bonds");
    }

    function invariant_everyUnitOfStablecoinIsAccountedFor() public view {
        require(handler.accountedStablecoin() == usd.totalSupply(), "units");
    }

    function invariant_whatTheMarketResolvedToIsWhatPays() public view {
        Resolution memory found = market.resolution();
        if (!found.resolved) return;
        require(shares.payoutDenominator(marketId) == 1, "denominator");
        require(shares.payoutNumerators(marketId, found.proposedOutcome) == 1, "winner");
        require(found.round == handler.assertionCount(), "rounds");
    }
}
