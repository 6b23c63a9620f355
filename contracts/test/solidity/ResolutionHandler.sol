// The other half of what the invariants' runner may do: propose, forge, dispute, judge, settle, void and redeem.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus} from "../../src/interfaces/IMarket.sol";
import {BondPayment} from "../../src/interfaces/IMarketResolution.sol";
import {IOptimisticOracle} from "../../src/interfaces/IOptimisticOracle.sol";
import {Oracle, ResolvingMarket, Settlement, Shares, Stablecoin} from "./Production.sol";
import {TradingHandler} from "./TradingHandler.sol";
import {vm} from "./Vm.sol";

contract ResolutionHandler is TradingHandler {
    /// @dev Soon, so that a run sees trading before and after it.
    uint64 private constant LIFETIME = 5 minutes;

    bytes32[] public assertions;
    uint256 public upheld;
    uint256 public rejected;
    uint256 public undisputed;

    function start() external {
        setUp();
        openMarket(false, uint64(START) + LIFETIME);
        gather();
        // The fixture's proposer takes no part here.
        uint256 idle = usd.balanceOf(vm.addr(PROPOSER));
        vm.prank(vm.addr(PROPOSER));
        usd.transfer(vm.addr(SPONSOR), idle);
        for (uint256 key = 1; key <= TRADERS; ++key) {
            openTrader(key, 2_000e6, 100e6);
            giveShares(vm.addr(key), NO, 50e6);
        }
        openTrader(BYSTANDER, 1_000e6, 1_000e6);
        giveShares(vm.addr(BYSTANDER), NO, 1_000e6);
        vm.startPrank(vm.addr(BYSTANDER));
        usd.approve(address(market), type(uint256).max);
        usd.approve(address(oracle), type(uint256).max);
        usd.approve(address(shares), type(uint256).max);
        vm.stopPrank();
    }

    function proposeOutcome(uint256 key, bool yes, bool sponsored) external {
        uint256 signer = 1 + key % TRADERS;
        uint256 payer = sponsored ? SPONSOR : signer;
        if (market.status() != MarketStatus.Expired || usd.balanceOf(vm.addr(payer)) < BOND) return;
        snapshot();
        assertions.push(propose(signer, yes, permitOf(payer)));
        requireSpared(bitOf(payer));
    }

    /// @dev Somebody else's name under the proposal, or somebody else's money behind it.
    function forgeProposal(uint256 key, bool yes, bool forgesSigner) external {
        uint256 forger = 1 + key % TRADERS;
        address bystander = vm.addr(BYSTANDER);
        uint256 deadline = block.timestamp;
        (uint8 v, bytes32 r, bytes32 s) = signProposal(forger, yes, deadline);
        BondPayment memory payment = noPermit(bystander);
        address proposer = forgesSigner ? bystander : vm.addr(forger);
        try market.proposeResolutionBySig(proposer, yes, deadline, v, r, s, payment) {
            revert("a forged proposal was taken");
        } catch {}
    }

    function disputeProposal(uint8 dice) external {
        bytes32 id = market.resolution().assertionId;
        if (dice % 2 != 0 || market.status() != MarketStatus.Proposed) return;
        if (block.timestamp >= oracle.getAssertion(id).expirationTime) return;
        if (usd.balanceOf(vm.addr(DISPUTER)) < BOND) usd.mint(vm.addr(DISPUTER), BOND);
        snapshot();
        dispute(id);
        requireSpared(bitOf(DISPUTER));
    }

    function judge(bool truthful) external {
        if (market.status() != MarketStatus.Disputed) return;
        bytes32 id = market.resolution().assertionId;
        snapshot();
        uint256[2] memory purses = pursesOf(id);
        arbitrate(id, truthful);
        requirePaidOut(id, purses);
        requireSpared(0);
        if (truthful) ++upheld;
        else ++rejected;
    }

    /// @dev By the market, by a signature, or at the oracle with little gas; before the window's end it must fail.
    function settleProposal(uint256 key, uint8 way, uint32 gas, uint8 patience) external {
        bytes32 id = market.resolution().assertionId;
        if (market.status() != MarketStatus.Proposed) return;
        uint64 end = oracle.getAssertion(id).expirationTime;
        if (patience % 4 == 0 && block.timestamp < end) vm.warp(end);
        snapshot();
        uint256[2] memory purses = pursesOf(id);
        bool isPaidOut = oracle.getAssertion(id).settled;
        bool isSettled = trySettle(id, 1 + key % TRADERS, way, gas);
        require(!isSettled || block.timestamp >= end, "settled before the window's end");
        if (!isPaidOut && oracle.getAssertion(id).settled) requirePaidOut(id, purses);
        requireSpared(0);
        if (isSettled && market.status() == MarketStatus.Resolved) ++undisputed;
    }

    /// @dev Equal or odd payouts, as a quick market may report; rarely, so that most runs end at the oracle.
    function voidOut(uint8 dice, uint8 yes, uint8 no) external {
        if (dice % 64 != 0 || market.status() != MarketStatus.Expired) return;
        uint256[] memory payouts = new uint256[](2);
        (payouts[0], payouts[1]) = (yes, uint256(no) + 1);
        bytes32 questionId = market.questionId();
        vm.prank(address(market));
        shares.reportPayouts(questionId, payouts);
    }

    function redeem(uint256 key) external {
        if (shares.payoutDenominator(marketId) == 0) return;
        snapshot();
        vm.prank(addressOf(1 + key % TRADERS));
        shares.redeemPositions(address(usd), 0, marketId, bothSets());
        requireSpared(bitOf(1 + key % TRADERS));
    }

    function world() external view returns (Stablecoin, Shares, Settlement, Oracle, bytes32, uint256, uint256) {
        return (usd, shares, settlement, oracle, marketId, ids[YES], ids[NO]);
    }

    function theMarket() external view returns (ResolvingMarket) {
        return market;
    }

    function assertionCount() external view returns (uint256) {
        return assertions.length;
    }

    function trySettle(bytes32 id, uint256 key, uint8 way, uint32 gas) private returns (bool) {
        if (way % 3 == 0) {
            try market.settle() {
                return true;
            } catch {
                return false;
            }
        }
        if (way % 3 == 1) {
            try oracle.settleAssertion{gas: 50_000 + gas % 250_000}(id) {
                return true;
            } catch {
                return false;
            }
        }
        uint8 outcome = market.resolution().proposedOutcome;
        (uint8 v, bytes32 r, bytes32 s) = signSettling(key, outcome, block.timestamp);
        try market.settleBySig(vm.addr(key), outcome, block.timestamp, v, r, s) {
            return true;
        } catch {
            return false;
        }
    }

    function pursesOf(bytes32 id) private view returns (uint256[2] memory) {
        IOptimisticOracle.Assertion memory made = oracle.getAssertion(id);
        return [usd.balanceOf(made.asserter), usd.balanceOf(made.disputer)];
    }

    /// @dev Both bonds to whoever was right, or the one bond back, and nothing else.
    function requirePaidOut(bytes32 id, uint256[2] memory before) private view {
        IOptimisticOracle.Assertion memory made = oracle.getAssertion(id);
        uint256 pot = made.disputer == address(0) ? made.bond : 2 * made.bond;
        uint256[2] memory purses = pursesOf(id);
        assertEq(purses[0] - before[0], made.settlementResolution ? pot : 0, "asserter");
        assertEq(purses[1] - before[1], made.settlementResolution ? 0 : pot, "disputer");
    }
}
