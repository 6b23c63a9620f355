// Packs the filled amounts of eight orders into one storage word: with increasing nonces a new slot is needed only every eighth order.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev A lane has 32 bits: an amount of up to 2,147 shares, and a flag. A larger amount is in a word of its own, which the lane
/// then refers to. Lanes of 16 bits would hold so little that every order filled in parts would need such a word.
library FilledAmounts {
    /// @notice The largest amount that a lane holds.
    uint256 internal constant MAX_IN_LANE = OVERFLOWN - 1;
    /// @dev The top bit of a lane says that a cancel was requested, so that an ordinary fill reads no second slot.
    uint256 private constant CANCEL_FLAG = 1 << 31;
    /// @dev A lane with all other bits set: the amount is in the order's own word.
    uint256 private constant OVERFLOWN = CANCEL_FLAG - 1;
    uint256 private constant LANE_MASK = type(uint32).max;

    /// @notice The storage slot that holds the lane of `nonce` and of seven adjacent ones.
    /// @dev Used directly, without a mapping's second hash. Its preimage has 96 bytes and a mapping's 64, so they cannot collide.
    function slotOf(address trader, bytes32 marketId, uint256 nonce) internal pure returns (bytes32 slot) {
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, trader)
            mstore(add(pointer, 0x20), marketId)
            mstore(add(pointer, 0x40), shr(3, nonce))
            slot := keccak256(pointer, 0x60)
        }
    }

    function load(bytes32 slot) internal view returns (uint256 word) {
        assembly ("memory-safe") {
            word := sload(slot)
        }
    }

    function store(bytes32 slot, uint256 word) internal {
        assembly ("memory-safe") {
            sstore(slot, word)
        }
    }

    /// @notice The lane with its flag: above MAX_IN_LANE if a cancel was requested or the amount is in a word of its own.
    function laneOf(uint256 word, uint256 nonce) internal pure returns (uint256) {
        return (word >> _shift(nonce)) & LANE_MASK;
    }

    function isCancelRequested(uint256 word, uint256 nonce) internal pure returns (bool) {
        return laneOf(word, nonce) & CANCEL_FLAG != 0;
    }

    function withFlag(uint256 word, uint256 nonce) internal pure returns (uint256) {
        return word | (CANCEL_FLAG << _shift(nonce));
    }

    /// @notice The word with `amount` more in the lane of `nonce`.
    /// @dev The caller has checked that the lane's sum stays at or below MAX_IN_LANE, so nothing carries into the next lane.
    function plus(uint256 word, uint256 nonce, uint256 amount) internal pure returns (uint256) {
        unchecked {
            return word + (amount << _shift(nonce));
        }
    }

    /// @notice The amount of an order, wherever it is kept.
    function amountOf(uint256 word, address trader, bytes32 marketId, uint256 nonce) internal view returns (uint256) {
        uint256 amount = laneOf(word, nonce) & OVERFLOWN;
        return amount == OVERFLOWN ? load(_ownSlotOf(trader, marketId, nonce)) : amount;
    }

    /// @notice The word after the order's amount has become `amount`, which may move it to a word of its own.
    function withAmount(uint256 word, address trader, bytes32 marketId, uint256 nonce, uint256 amount)
        internal
        returns (uint256)
    {
        uint256 cleared = word & ~(OVERFLOWN << _shift(nonce));
        bool wasOverflown = laneOf(word, nonce) & OVERFLOWN == OVERFLOWN;
        if (amount > MAX_IN_LANE) store(_ownSlotOf(trader, marketId, nonce), amount);
        else if (wasOverflown) store(_ownSlotOf(trader, marketId, nonce), 0);
        uint256 kept = amount > MAX_IN_LANE ? OVERFLOWN : amount;
        return cleared | (kept << _shift(nonce));
    }

    /// @dev Its preimage has 128 bytes, so it cannot collide with a slot of lanes.
    function _ownSlotOf(address trader, bytes32 marketId, uint256 nonce) private pure returns (bytes32) {
        return keccak256(abi.encode(trader, marketId, nonce, OVERFLOWN));
    }

    function _shift(uint256 nonce) private pure returns (uint256) {
        return (nonce & 7) << 5;
    }
}
