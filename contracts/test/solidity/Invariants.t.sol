// Random traders, batches, forgeries, cancels, splits and resolutions; and what must hold after each of them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";
import {Settlement, Shares, Stablecoin} from "./Production.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";

/// @dev The runner calls these functions in any order with any arguments. Every order is a function of (trader, nonce), so that a
/// counter can be held against the one size that was ever signed for it.
contract Handler is SettlementFixture {
    uint256 public constant TRADERS = 5;
    uint64 public constant NONCES = 8;
    /// @dev Approves everything and signs nothing.
    uint256 public constant BYSTANDER = 999;
    uint256 public settledFills;
    uint256 public failedFills;

    function start() external {
        setUp();
        for (uint256 key = 1; key <= TRADERS; ++key) {
            openTrader(key, 1_000e6, 100e6);
            giveShares(vm.addr(key), NO, 50e6);
        }
        openTrader(BYSTANDER, 1_000e6, 1_000e6);
        giveShares(vm.addr(BYSTANDER), NO, 1_000e6);
    }

    function orderOf(uint256 key, uint64 nonce) public view returns (Order memory order) {
        uint256 dice = uint256(keccak256(abi.encode(key, nonce)));
        order = newOrder(key, uint8(dice & 1), uint64(1 + (dice >> 8) % 999_999), uint64(1 + (dice >> 40) % 40e6), nonce);
        order.outcome = uint8((dice >> 1) & 1);
    }

    /// @dev Three fills among four orders, mostly well paired; `spoil` may forge, or name the bystander.
    function settle(uint256 keys, uint64 nonces, uint64[3] calldata prices, uint64[3] calldata sizes, uint8 spoil) external {
        for (uint256 i; i < 4; ++i) {
            uint256 key = 1 + (keys >> (8 * i)) % TRADERS;
            put(key, pairable(key, uint64((nonces >> (8 * i)) % NONCES), i % 2 == 0));
        }
        if (spoil % 4 == 0) batchSignatures[spoil % 3].r = bytes32(uint256(spoil) + 1);
        if (spoil % 4 == 1) batchOrders[spoil % 3].trader = vm.addr(BYSTANDER);
        for (uint256 i; i < 3; ++i) {
            Order memory buy = batchOrders[2 * (i / 2)];
            Order memory sell = batchOrders[i < 2 ? 1 : 3];
            uint64 low = sell.price < buy.price ? sell.price : buy.price;
            uint64 price = low + prices[i] % (buy.price - low + 1);
            putFill(2 * (i / 2), i < 2 ? 1 : 3, price, 1 + sizes[i] % 30e6);
        }
        send();
        for (uint256 i; i < codes.length; ++i) {
            if (codes[i] == 0) ++settledFills;
            else ++failedFills;
        }
    }

    /// @dev The next nonce, going round, whose order is on the wanted side; with eight nonces there is nearly always one.
    function pairable(uint256 key, uint64 nonce, bool buys) private view returns (Order memory order) {
        for (uint64 i; i < NONCES; ++i) {
            order = orderOf(key, (nonce + i) % NONCES);
            if ((order.side == BUY) == buys && order.outcome == YES) return order;
        }
    }

    function split(uint256 key, uint64 amount) external {
        address trader = vm.addr(1 + key % TRADERS);
        uint256 legal = amount % (usd.balanceOf(trader) + 1);
        vm.startPrank(trader);
        usd.approve(address(shares), legal);
        shares.splitPosition(address(usd), 0, marketId, bothSets(), legal);
        vm.stopPrank();
    }

    function merge(uint256 key, uint64 amount) external {
        address trader = vm.addr(1 + key % TRADERS);
        uint256 most = yesOf(trader) < noOf(trader) ? yesOf(trader) : noOf(trader);
        vm.prank(trader);
        shares.mergePositions(address(usd), 0, marketId, bothSets(), amount % (most + 1));
    }

    function give(uint256 from, uint256 to, bool no, uint64 amount) external {
        address sender = vm.addr(1 + from % TRADERS);
        uint256 id = ids[no ? NO : YES];
        uint256 legal = amount % (shares.balanceOf(sender, id) + 1);
        vm.prank(sender);
        shares.safeTransferFrom(sender, vm.addr(1 + to % TRADERS), id, legal, "");
    }

    function toggleApproval(uint256 key, bool approved) external {
        address trader = vm.addr(1 + key % TRADERS);
        vm.startPrank(trader);
        shares.setApprovalForAll(address(settlement), approved);
        usd.approve(address(settlement), approved ? type(uint256).max : 10e6);
        vm.stopPrank();
    }

    function cancel(uint256 key, uint64 nonce) external {
        address trader = vm.addr(1 + key % TRADERS);
        if (settlement.cancelEffectiveAfter(trader, marketId, nonce % NONCES) != 0) return;
        vm.prank(trader);
        settlement.requestCancel(marketId, nonce % NONCES);
    }

    function wait(uint16 duration) external {
        vm.warp(block.timestamp + duration % 600);
    }

    /// @dev Rarely, so that most of a run is spent before the resolution.
    function resolve(uint8 dice, uint8 yes, uint8 no) external {
        if (dice % 32 != 0 || shares.payoutDenominator(marketId) != 0) return;
        uint256[] memory payouts = new uint256[](2);
        (payouts[0], payouts[1]) = (yes, uint256(no) + 1);
        shares.reportPayouts("question", payouts);
    }

    function redeem(uint256 key) external {
        if (shares.payoutDenominator(marketId) == 0) return;
        vm.prank(vm.addr(1 + key % TRADERS));
        shares.redeemPositions(address(usd), 0, marketId, bothSets());
    }

    function world() external view returns (Stablecoin, Shares, Settlement, bytes32, uint256, uint256) {
        return (usd, shares, settlement, marketId, ids[YES], ids[NO]);
    }

    /// @dev All shares of an outcome: the traders', the bystander's, and the bin's that giveShares fills.
    function supplyOf(uint8 outcome) external view returns (uint256 supply) {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            supply += shares.balanceOf(vm.addr(key), ids[outcome]);
        }
        supply += shares.balanceOf(vm.addr(BYSTANDER), ids[outcome]);
        supply += shares.balanceOf(address(0xb1), ids[outcome]);
    }

    function bothSets() private pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }
}

contract InvariantsTest {
    Handler private handler;
    Stablecoin private usd;
    Shares private shares;
    Settlement private settlement;
    bytes32 private marketId;
    uint256[2] private ids;

    function setUp() public {
        handler = new Handler();
        handler.start();
        (usd, shares, settlement, marketId, ids[0], ids[1]) = handler.world();
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
        bytes4[] memory selectors = new bytes4[](12);
        // Settling is what this is about: it gets four tickets in the draw.
        for (uint256 i; i < 4; ++i) {
            selectors[i] = Handler.settle.selector;
        }
        selectors[4] = Handler.split.selector;
        selectors[5] = Handler.merge.selector;
        selectors[6] = Handler.give.selector;
        selectors[7] = Handler.toggleApproval.selector;
        selectors[8] = Handler.cancel.selector;
        selectors[9] = Handler.wait.selector;
        selectors[10] = Handler.resolve.selector;
        selectors[11] = Handler.redeem.selector;
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
        for (uint256 key = 1; key <= handler.TRADERS(); ++key) {
            for (uint64 nonce; nonce < handler.NONCES(); ++nonce) {
                Order memory order = handler.orderOf(key, nonce);
                require(settlement.filled(order.trader, marketId, nonce) <= order.size, "overfilled");
            }
        }
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

    function invariant_theSettlementKeepsNothing() public view {
        require(usd.balanceOf(address(settlement)) == 0, "stablecoin");
        require(shares.balanceOf(address(settlement), ids[0]) == 0, "YES");
        require(shares.balanceOf(address(settlement), ids[1]) == 0, "NO");
    }
}
