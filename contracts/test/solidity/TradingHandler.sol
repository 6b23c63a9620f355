// The trading half of what the invariants' runner may do: settle, split, merge, give, approve, cancel, wait.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";
import {Purses} from "./Purses.sol";
import {vm} from "./Vm.sol";

/// @dev The runner calls these functions in any order with any arguments. Every order is a function of (trader, nonce), so that a
/// counter can be held against the one size that was ever signed for it.
abstract contract TradingHandler is Purses {
    uint64 public constant NONCES = 8;
    uint256 public settledFills;
    uint256 public failedFills;

    function orderOf(uint256 key, uint64 nonce) public view returns (Order memory) {
        uint256 dice = diceOf(key, nonce);
        return Order({
            marketId: marketId,
            trader: addressOf(key),
            side: uint8(dice & 1),
            outcome: uint8((dice >> 1) & 1),
            price: uint64(1 + (dice >> 8) % 999_999),
            size: uint64(1 + (dice >> 40) % 40e6),
            nonce: nonce,
            expiration: uint64(START + 1 hours),
            makerFeeRecipient: address(0)
        });
    }

    function hasOverfilledOrder() external view returns (bool) {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            for (uint64 nonce; nonce < NONCES; ++nonce) {
                if (settlement.filled(addressOf(key), marketId, nonce) > orderOf(key, nonce).size) return true;
            }
        }
        return false;
    }

    /// @dev Three fills among four orders, mostly well paired; `spoil` may forge, or name the bystander.
    function settle(uint256 keys, uint64 nonces, uint64[3] calldata prices, uint64[3] calldata sizes, uint8 spoil) external {
        snapshot();
        uint256 signers;
        for (uint256 i; i < 4; ++i) {
            uint256 key = 1 + (keys >> (8 * i)) % TRADERS;
            signers |= bitOf(key);
            put(key, pairable(key, uint64((nonces >> (8 * i)) % NONCES), i % 2 == 0));
        }
        if (spoil % 4 == 0) batchSignatures[spoil % 3].r = bytes32(uint256(spoil) + 1);
        if (spoil % 4 == 1) batchOrders[spoil % 3].trader = addressOf(TRADERS + 1);
        for (uint256 i; i < 3; ++i) {
            Order memory buy = batchOrders[2 * (i / 2)];
            Order memory sell = batchOrders[i < 2 ? 1 : 3];
            uint64 low = sell.price < buy.price ? sell.price : buy.price;
            uint64 price = low + prices[i] % (buy.price - low + 1);
            putFill(2 * (i / 2), i < 2 ? 1 : 3, price, 1 + sizes[i] % 5e6);
        }
        send();
        for (uint256 i; i < codes.length; ++i) {
            if (codes[i] == 0) ++settledFills;
            else ++failedFills;
        }
        requireSpared(signers);
    }

    /// @dev The next nonce, going round, whose order is on the wanted side; with eight nonces there is nearly always one.
    function pairable(uint256 key, uint64 nonce, bool buys) private view returns (Order memory) {
        uint256 wanted = YES << 1 | (buys ? BUY : SELL);
        for (uint64 i; i < NONCES; ++i) {
            uint64 candidate = (nonce + i) % NONCES;
            if (diceOf(key, candidate) & 3 == wanted) return orderOf(key, candidate);
        }
        return orderOf(key, nonce);
    }

    function diceOf(uint256 key, uint64 nonce) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(key, nonce)));
    }

    function split(uint256 key, uint64 amount) external {
        address trader = addressOf(1 + key % TRADERS);
        uint256 legal = amount % (usd.balanceOf(trader) + 1);
        snapshot();
        vm.startPrank(trader);
        usd.approve(address(shares), legal);
        shares.splitPosition(address(usd), 0, marketId, bothSets(), legal);
        vm.stopPrank();
        requireSpared(bitOf(1 + key % TRADERS));
    }

    function merge(uint256 key, uint64 amount) external {
        address trader = addressOf(1 + key % TRADERS);
        uint256 most = yesOf(trader) < noOf(trader) ? yesOf(trader) : noOf(trader);
        snapshot();
        vm.prank(trader);
        shares.mergePositions(address(usd), 0, marketId, bothSets(), amount % (most + 1));
        requireSpared(bitOf(1 + key % TRADERS));
    }

    function give(uint256 from, uint256 to, bool no, uint64 amount) external {
        address sender = addressOf(1 + from % TRADERS);
        uint256 id = ids[no ? NO : YES];
        uint256 legal = amount % (shares.balanceOf(sender, id) + 1);
        snapshot();
        vm.prank(sender);
        shares.safeTransferFrom(sender, addressOf(1 + to % TRADERS), id, legal, "");
        requireSpared(bitOf(1 + from % TRADERS));
    }

    function toggleApproval(uint256 key, bool approved) external {
        address trader = addressOf(1 + key % TRADERS);
        vm.startPrank(trader);
        shares.setApprovalForAll(address(settlement), approved);
        usd.approve(address(settlement), approved ? type(uint256).max : 10e6);
        vm.stopPrank();
    }

    function cancel(uint256 key, uint64 nonce) external {
        address trader = addressOf(1 + key % TRADERS);
        if (settlement.cancelEffectiveAfter(trader, marketId, nonce % NONCES) != 0) return;
        vm.prank(trader);
        settlement.requestCancel(marketId, nonce % NONCES);
    }

    function wait(uint16 duration) external {
        vm.warp(block.timestamp + 60 + duration % 600);
    }

    function bothSets() internal pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }
}
