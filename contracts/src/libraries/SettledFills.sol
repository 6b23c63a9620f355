// Collects what a batch has settled, so that one event tells all of it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {FeeTerms} from "./FeeMath.sol";
import {Fill} from "./FillWords.sol";

/// @dev Pointer to the encoded data of FillsSettled in memory: the offset, the length, then three words for each fill.
type SettledFills is uint256;

using SettledFillsLibrary for SettledFills global;

library SettledFillsLibrary {
    /// @dev Whose deposit paid or was paid, above the price in the word of the amounts.
    uint256 internal constant BUYER_LEDGER = 1 << 255;
    uint256 internal constant SELLER_LEDGER = 1 << 254;
    uint256 private constant SELLER_TOOK = 1 << 253;
    /// @dev A legal price has twenty bits.
    uint256 internal constant FEES_SHIFT = 212;
    uint256 private constant HEAD = 0x40;
    /// @dev 96 bytes at 8 gas, rounded up.
    uint256 internal constant GAS_PER_FILL = 800;

    /// @notice What the amounts of a fill say of its fee.
    function feeBits(FeeTerms terms, Fill fill) internal pure returns (uint256) {
        return FeeTerms.unwrap(terms) << FEES_SHIFT | (fill.sellerTakes() ? SELLER_TOOK : 0);
    }

    /// @dev Memory for all of them is taken at once, so that telling costs no more than its bytes at the end.
    function open(uint256 count) internal pure returns (SettledFills settled) {
        assembly ("memory-safe") {
            settled := mload(0x40)
            mstore(settled, 0x20)
            mstore(add(settled, 0x20), 0)
            let end := add(add(settled, HEAD), mul(count, 0x60))
            mstore(end, 0)
            mstore(0x40, end)
        }
    }

    function add(SettledFills settled, bytes32 buyHash, bytes32 sellHash, uint256 amounts) internal pure {
        assembly ("memory-safe") {
            let words := mload(add(settled, 0x20))
            let place := add(add(settled, HEAD), shl(5, words))
            mstore(place, buyHash)
            mstore(add(place, 0x20), sellHash)
            mstore(add(place, 0x40), amounts)
            mstore(add(settled, 0x20), add(words, 3))
        }
    }

    /// @notice The amounts of the fill that was added last.
    function lastAmounts(SettledFills settled) internal pure returns (uint256 amounts) {
        assembly ("memory-safe") {
            let words := mload(add(settled, 0x20))
            amounts := mload(add(settled, add(0x20, shl(5, words))))
        }
    }

    function tell(SettledFills settled) internal {
        bytes32 topic = IPresageSettlement.FillsSettled.selector;
        assembly ("memory-safe") {
            let words := mload(add(settled, 0x20))
            if words { log1(settled, add(HEAD, shl(5, words)), topic) }
        }
    }
}
