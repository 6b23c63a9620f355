// Packs the filled amounts of four orders into one storage word: with increasing nonces a new slot is needed only every fourth order.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

library FilledAmounts {
    /// @dev The top bit of a lane says that a cancel was requested, so that an ordinary fill reads no second slot.
    uint256 internal constant CANCEL_FLAG = 1 << 63;
    uint256 internal constant MAX_AMOUNT = CANCEL_FLAG - 1;
    uint256 private constant LANE_MASK = type(uint64).max;

    /// @notice The storage slot that holds the counter of `nonce` and three adjacent ones.
    /// @dev Used directly, without a mapping's second hash. Its preimage has 96 bytes and a mapping's 64, so they cannot collide.
    function slotOf(address trader, bytes32 marketId, uint256 nonce) internal pure returns (bytes32 slot) {
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, trader)
            mstore(add(pointer, 0x20), marketId)
            mstore(add(pointer, 0x40), shr(2, nonce))
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

    function amountIn(uint256 word, uint256 nonce) internal pure returns (uint256) {
        return (word >> _shift(nonce)) & MAX_AMOUNT;
    }

    /// @notice The amount together with the flag: more than MAX_AMOUNT if a cancel was requested.
    function laneOf(uint256 word, uint256 nonce) internal pure returns (uint256) {
        return (word >> _shift(nonce)) & LANE_MASK;
    }

    function withFlag(uint256 word, uint256 nonce) internal pure returns (uint256) {
        return word | (CANCEL_FLAG << _shift(nonce));
    }

    /// @notice The word with `amount` more in the lane of `nonce`.
    /// @dev The caller has checked that the lane's sum stays at or below MAX_AMOUNT, so nothing carries into the next lane.
    function plus(uint256 word, uint256 nonce, uint256 amount) internal pure returns (uint256) {
        unchecked {
            return word + (amount << _shift(nonce));
        }
    }

    function _shift(uint256 nonce) private pure returns (uint256) {
        return (nonce & 3) << 6;
    }
}
