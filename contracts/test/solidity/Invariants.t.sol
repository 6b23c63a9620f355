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
        bytes4[] memory selectors = new bytes4[](40);
        // Settling and the oracle are what this is about: they get several tickets in the draw.
        for (uint256 i; i < 9; ++i) {
            selectors[i] = handler.settle.selector;
        }
        (selectors[9], selectors[10]) = (handler.split.selector, handler.merge.selector);
        (selectors[11], selectors[12]) = (handler.give.selector, handler.toggleApproval.selector);
        (selectors[13], selectors[14]) = (handler.wait.selector, handler.wait.selector);
        (selectors[15], selectors[16]) = (handler.proposeOutcome.selector, handler.proposeOutcome.selector);
        (selectors[17], selectors[18]) = (handler.settleProposal.selector, handler.judge.selector);
        (selectors[19], selectors[20]) = (handler.disputeProposal.selector, handler.disputeProposal.selector);
        (selectors[21], selectors[22]) = (handler.forgeProposal.selector, handler.redeem.selector);
        (selectors[23], selectors[24]) = (handler.cancel.selector, handler.halt.selector);
        (selectors[25], selectors[26]) = (handler.resume.selector, handler.steal.selector);
        (selectors[27], selectors[28]) = (handler.pauseAndMeddle.selector, handler.strikeQuick.selector);
        (selectors[29], selectors[30]) = (handler.resolveQuick.selector, handler.voidSomething.selector);
        (selectors[31], selectors[32]) = (handler.redeem.selector, handler.withdraw.selector);
        (selectors[33], selectors[34]) = (handler.deposit.selector, handler.deposit.selector);
        for (uint256 i = 35; i < 40; ++i) {
            selectors[i] = handler.settleByLedger.selector;
        }
        chosen = new FuzzSelector[](1);
        chosen[0] = FuzzSelector(address(handler), selectors);
    }

    /// @dev Invariants over a handler that never settles anything would prove nothing.
    function test_theHandlerBothSettlesAndFails() public {
        for (uint256 i; i < 60; ++i) {
            uint256 dice = uint256(keccak256(abi.encode(i)));
            uint64[3] memory prices = [uint64(dice), uint64(dice >> 64), uint64(dice >> 128)];
            uint64[3] memory sizes = [uint64(dice >> 32), uint64(dice >> 96), uint64(dice >> 160)];
            handler.settle(dice, prices, sizes, uint8(dice >> 200), uint8(dice >> 208));
        }
        require(handler.settledFills() > 20, "hardly anything settled");
        require(handler.failedFills() > 20, "hardly anything failed");
        require(handler.treasuryIncome() > 1e4, "hardly any fees");
    }

    /// @dev The same for one that never touches a deposit.
    function test_theHandlerSettlesThroughDeposits() public {
        for (uint256 i; i < 60; ++i) {
            uint256 dice = uint256(keccak256(abi.encode(i, "deposits")));
            handler.deposit(i, uint64(dice), i % 8 == 0);
            uint64[3] memory prices = [uint64(dice), uint64(dice >> 64), uint64(dice >> 128)];
            uint64[3] memory sizes = [uint64(dice >> 32), uint64(dice >> 96), uint64(dice >> 160)];
            handler.settleByLedger(dice, prices, sizes, uint8(dice >> 200), uint8(dice >> 208), uint8(dice >> 216));
            if (i % 5 == 0) handler.withdraw(i, uint64(dice >> 8), dice >> 40);
        }
        require(handler.ledgerFills() > 20, "hardly anything settled through a deposit");
    }

    /// @dev The same for one that never resolves anything.
    function test_theHandlerRejectsResolvesAndRedeems() public {
        vm.warp(market.expiration());
        handler.proposeOutcome(0, 0, true);
        handler.disputeProposal(0);
        handler.judge(false);
        require(handler.rejected() == 1 && market.resolution().round == 1, "rejected");
        handler.proposeOutcome(1, 1, false);
        handler.settleProposal(2, 2, 0, 1);
        require(handler.undisputed() == 0, "too early");
        handler.settleProposal(2, 2, 0, 0);
        require(handler.undisputed() == 1 && market.resolution().resolved, "resolved");
        for (uint8 way; way < 3; ++way) {
            uint256 supply = handler.supplyOf(1, 1);
            handler.redeem(way, 1, way);
            require(handler.supplyOf(1, 1) < supply, "redeemed");
        }
    }

    function test_theHandlerUpholds() public {
        vm.warp(market.expiration());
        handler.proposeOutcome(3, 2, false);
        handler.disputeProposal(0);
        handler.judge(true);
        require(handler.upheld() == 1 && market.resolution().resolved, "upheld");
    }

    function test_theHandlerStrikesResolvesAndVoids() public {
        handler.strikeQuick(5, 3);
        handler.strikeQuick(5, 9);
        handler.resolveQuick(4, 9, 1);
        require(handler.quickResults() == 1, "resolved");
        handler.voidSomething(false, 1);
        handler.voidSomething(false, 0);
        require(handler.voidable().resolution().resolved, "voided");
    }

    function invariant_collateralCoversEveryClaim() public view {
        uint256 claims;
        bool isResolved;
        for (uint256 i; i < handler.MARKETS(); ++i) {
            bytes32 id = handler.marketIds(i);
            uint256 denominator = shares.payoutDenominator(id);
            (uint256 yes, uint256 no) = (handler.supplyOf(i, 0), handler.supplyOf(i, 1));
            if (denominator == 0) {
                require(yes == no, "YES and NO differ before the result");
                claims += yes;
                continue;
            }
            isResolved = true;
            claims += (yes * shares.payoutNumerators(id, 0) + no * shares.payoutNumerators(id, 1)) / denominator;
        }
        uint256 held = usd.balanceOf(address(shares));
        require(isResolved ? held >= claims : held == claims, "collateral does not cover the claims");
    }

    function invariant_everyCounterAndEveryEndIsWhatWasSignedFor() public view {
        handler.requireCounters();
        handler.requireEnds();
        address bystander = vm.addr(handler.BYSTANDER());
        require(usd.balanceOf(bystander) == 1_000e6, "the bystander's stablecoin");
        for (uint256 i; i < 2 * handler.MARKETS(); ++i) {
            require(shares.balanceOf(bystander, handler.idOf(i / 2, i % 2)) == 1_000e6, "the bystander's shares");
        }
    }

    function invariant_nothingStaysWhereItDoesNotBelong() public view {
        handler.requireDeposits();
        handler.requireIncome();
        require(usd.balanceOf(address(market)) == 0, "stablecoin");
        for (uint256 i; i < 2 * handler.MARKETS(); ++i) {
            require(shares.balanceOf(address(settlement), handler.idOf(i / 2, i % 2)) == 0, "shares");
        }
        uint256 bonds;
        for (uint256 i; i < handler.assertionCount(); ++i) {
            IOptimisticOracle.Assertion memory made = oracle.getAssertion(handler.assertions(i));
            if (!made.settled) bonds += made.disputer == address(0) ? made.bond : 2 * made.bond;
        }
        require(usd.balanceOf(address(oracle)) == bonds, "bonds");
        require(handler.accountedStablecoin() == usd.totalSupply(), "units");
    }

    function invariant_whatTheMarketResolvedToIsWhatPays() public view {
        Resolution memory found = market.resolution();
        if (!found.resolved) return;
        bool isHalf = found.proposedOutcome == 2;
        require(shares.payoutDenominator(marketId) == (isHalf ? 2 : 1), "denominator");
        require(shares.payoutNumerators(marketId, isHalf ? 0 : found.proposedOutcome) == 1, "winner");
        require(found.round == handler.assertionCount(), "rounds");
    }
}
