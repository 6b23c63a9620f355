// The other half of what the invariants' runner may do: propose, forge, dispute, judge, settle, void and redeem.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus} from "../../src/interfaces/IMarket.sol";
import {SignedRedemption} from "../../src/interfaces/IConditionalTokens.sol";
import {BondPayment} from "../../src/interfaces/ISignedProposals.sol";
import {IOptimisticOracle} from "../../src/interfaces/IOptimisticOracle.sol";
import {HostileStablecoin} from "./HostileStablecoin.sol";
import {Oracle, Production, ResolvingMarket, Settlement, Shares, Stablecoin} from "./Production.sol";
import {QuickHandler} from "./QuickHandler.sol";
import {vm} from "./Vm.sol";

contract ResolutionHandler is QuickHandler {
    /// @dev Soon, so that a run sees trading before and after it.
    uint64 private constant LIFETIME = 2 minutes;

    bytes32 private constant REDEEM_TYPEHASH = keccak256(
        "RedeemPositions(address owner,address collateralToken,bytes32 parentCollectionId,bytes32 conditionId,uint256[] indexSets,uint256 nonce,uint256 deadline)"
    );

    bytes32[] public assertions;
    mapping(bytes32 assertionId => address) private payers;
    uint256 public upheld;
    uint256 public rejected;
    uint256 public undisputed;
    uint256 public redeemed;

    /// @dev Three markets: one that the oracle resolves, without fees, one that is left to be voided, whose makers get all fees, and a quick
    /// one, whose makers get a quarter.
    function start() external {
        vm.warp(START);
        token = new HostileStablecoin();
        usd = Stablecoin(address(token));
        shares = Production.deployShares();
        settlement = Production.deploySettlement(address(this), address(usd), address(shares), SHORT_GRACE);
        settlement.grantRole(settlement.OPERATOR_ROLE(), address(this));
        settlement.grantRole(settlement.PAUSER_ROLE(), address(0x9a));
        settlement.setTreasury(TREASURY);
        oracle = Production.deployOracle(ARBITRATOR, SECOND, address(usd), MINIMUM_BOND);
        gather();
        openVoidable();
        openMarket(false, uint64(START) + LIFETIME);
        addMarket(marketId);
        endOf[marketId] = START + LIFETIME + SHORT_GRACE;
        openQuick();
        prepareReentry();
        for (uint256 key = 1; key <= TRADERS; ++key) {
            openPerson(key, 2_000e6, 6e6);
        }
        openPerson(BYSTANDER, 1_000e6, 1_000e6);
        usd.mint(vm.addr(SPONSOR), 2 * BOND);
        vm.prank(vm.addr(DISPUTER));
        usd.approve(address(oracle), type(uint256).max);
        vm.startPrank(vm.addr(BYSTANDER));
        usd.approve(address(market), type(uint256).max);
        usd.approve(address(oracle), type(uint256).max);
        usd.approve(address(shares), type(uint256).max);
        vm.stopPrank();
    }

    function openPerson(uint256 key, uint256 stablecoin, uint256 each) private {
        openTrader(key, stablecoin, 0);
        for (uint256 i; i < MARKETS; ++i) {
            marketId = marketIds[i];
            giveShares(vm.addr(key), YES, each);
            giveShares(vm.addr(key), NO, each);
        }
        marketId = market.marketId();
    }

    function proposeOutcome(uint256 key, uint8 outcome, bool sponsored) external {
        if (market.status() == MarketStatus.Open && key % 2 == 0) vm.warp(market.expiration());
        uint256 signer = 1 + key % TRADERS;
        uint256 payer = sponsored ? SPONSOR : signer;
        if (!hasRoomFor(outcome % 3, sponsored) || usd.balanceOf(vm.addr(payer)) < BOND) return;
        snapshot();
        bytes32 id = propose(signer, outcome % 3, permitOf(payer));
        assertions.push(id);
        payers[id] = vm.addr(payer);
        requireSpared(bitOf(payer));
    }

    /// @dev Beside disputed ones only: two that are settled at once could not be told apart in a purse.
    function hasRoomFor(uint8 outcome, bool sponsored) private view returns (bool) {
        MarketStatus status = market.status();
        if (status != MarketStatus.Expired && status != MarketStatus.Disputed) return false;
        for (uint8 i; i < 3; ++i) {
            bytes32 id = market.liveAssertion(i);
            if (id != 0 && (i == outcome || sponsored || isGivenUp(id))) return false;
        }
        return true;
    }

    /// @dev The oracle has waited for its arbitrators so long that it returns both bonds.
    function isGivenUp(bytes32 id) private view returns (bool) {
        IOptimisticOracle.Assertion memory made = oracle.getAssertion(id);
        return made.disputer != address(0) && block.timestamp >= made.assertionTime + oracle.RETURN_DELAY();
    }

    /// @dev Somebody else's name under the proposal, somebody else's money behind it, or the money of whoever counted on a sponsor.
    function forgeProposal(uint256 key, uint8 outcome, uint8 way) external {
        uint256 forger = 1 + key % TRADERS;
        address proposer = way % 3 == 0 ? vm.addr(BYSTANDER) : vm.addr(forger);
        address payer = way % 3 == 2 ? proposer : vm.addr(BYSTANDER);
        address named = way % 3 == 1 ? proposer : address(0);
        uint256 deadline = block.timestamp;
        vm.prank(vm.addr(forger));
        usd.approve(address(market), type(uint256).max);
        (uint8 v, bytes32 r, bytes32 s) = signProposal(forger, outcome % 3, named, deadline);
        BondPayment memory payment = noPermit(payer);
        snapshot();
        try market.proposeResolutionBySig(proposer, outcome % 3, deadline, v, r, s, payment) {
            revert("a forged proposal was taken");
        } catch {}
        requireSpared(0);
        vm.prank(vm.addr(forger));
        usd.approve(address(market), 0);
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
        noteResults();
        require((market.status() == MarketStatus.Resolved) == truthful, "judged");
        if (truthful) ++upheld;
        else ++rejected;
    }

    /// @dev By the market, by a signature, or at the oracle with little gas; before the window's end it must fail.
    function settleProposal(uint256 key, uint8 way, uint32 gas, uint8 patience) external {
        bytes32 id = market.resolution().assertionId;
        if (market.status() != MarketStatus.Proposed) return;
        for (uint8 i; i < 3; ++i) {
            if (isGivenUp(market.liveAssertion(i))) return;
        }
        uint64 end = oracle.getAssertion(id).expirationTime;
        if (patience % 4 == 0 && block.timestamp < end) vm.warp(end);
        snapshot();
        uint256[2] memory purses = pursesOf(id);
        bool isPaidOut = oracle.getAssertion(id).settled;
        bool isSettled = trySettle(id, 1 + key % TRADERS, way, gas);
        require(!isSettled || block.timestamp >= end, "settled before the window's end");
        if (!isPaidOut && oracle.getAssertion(id).settled) requirePaidOut(id, purses);
        requireSpared(0);
        noteResults();
        require(isSettled == (market.status() == MarketStatus.Resolved), "settled and not resolved");
        if (isSettled) ++undisputed;
    }

    /// @dev By hand, by signature or in a batch of which somebody has carried out the first already; exactly what the shares are worth.
    function redeem(uint256 key, uint8 place, uint8 way) external {
        key = 1 + key % TRADERS;
        bytes32 id = marketIds[place % MARKETS];
        address trader = addressOf(key);
        uint256 worth = worthOf(trader, place % MARKETS, id);
        uint256 earlier = usd.balanceOf(trader);
        snapshot();
        bool done = tryRedeem(key, id, way);
        require(done == (shares.payoutDenominator(id) != 0), "redeemed before the result, or not after it");
        assertEq(usd.balanceOf(trader) - earlier, worth, "worth");
        requireSpared(bitOf(key));
        if (done) ++redeemed;
    }

    function worthOf(address trader, uint256 place, bytes32 id) private view returns (uint256 worth) {
        uint256 denominator = shares.payoutDenominator(id);
        if (denominator == 0) return 0;
        for (uint256 i; i < 2; ++i) {
            worth += shares.balanceOf(trader, idOf(place, i)) * shares.payoutNumerators(id, i) / denominator;
        }
    }

    function tryRedeem(uint256 key, bytes32 id, uint8 way) private returns (bool done) {
        address trader = addressOf(key);
        bytes memory call = abi.encodeCall(shares.redeemPositions, (address(usd), 0, id, bothSets()));
        if (way % 3 == 0) {
            vm.prank(trader);
            (done,) = address(shares).call(call);
            return done;
        }
        SignedRedemption[] memory batch = new SignedRedemption[](2);
        batch[0] = signRedemption(key, id, 0);
        batch[1] = signRedemption(key, id, 1);
        if (way % 3 == 1) {
            (done,) = address(shares).call(
                abi.encodeWithSignature(
                    "redeemPositionsBySig(address,address,bytes32,bytes32,uint256[],uint256,bytes)",
                    trader, address(usd), bytes32(0), id, bothSets(), block.timestamp, batch[0].signature
                )
            );
            if (!done) return false;
        }
        (done,) = address(shares).call(abi.encodeCall(shares.redeemPositionsBatchBySig, (batch)));
    }

    function signRedemption(uint256 key, bytes32 id, uint256 ahead) private view returns (SignedRedemption memory) {
        address trader = addressOf(key);
        uint256 nonce = shares.nonces(trader) + ahead;
        bytes32 structHash = keccak256(
            abi.encode(
                REDEEM_TYPEHASH,
                trader,
                address(usd),
                bytes32(0),
                id,
                keccak256(abi.encodePacked(bothSets())),
                nonce,
                block.timestamp
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = signFor(key, shares.DOMAIN_SEPARATOR(), structHash);
        bytes memory signature = abi.encodePacked(r, s, v);
        return SignedRedemption(trader, address(usd), 0, id, bothSets(), nonce, block.timestamp, signature);
    }

    /// @dev The settlement ends every market's trading when it should, and not before.
    function requireEnds() external view {
        for (uint256 i; i < MARKETS; ++i) {
            uint256 result = resolvedAt[marketIds[i]];
            uint256 last = endOf[marketIds[i]];
            if (result != 0 && result + RESULT_GRACE < last) last = result + RESULT_GRACE;
            assertEq(settlement.settlesUntil(marketIds[i]), last, "settles until");
        }
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
            try oracle.settleAssertion{gas: 400_000 + gas % 600_000}(id) {
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
        return [usd.balanceOf(payers[id]), usd.balanceOf(made.disputer)];
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
