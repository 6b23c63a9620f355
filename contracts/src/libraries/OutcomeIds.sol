// Names the binary market of each outcome of an event.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The id of such a market is the id of the event's condition with six of its bytes replaced: the eighth by the index of the outcome,
/// the last but one by the number of outcomes, the three before it and the last by MARK. So it follows from the event, differs from outcome
/// to outcome in its first eight bytes, and is no condition's id, since that would be a chosen hash. The last bit is the same in all of them.
library OutcomeIds {
    uint256 internal constant MAX_OUTCOMES = 128;
    uint256 private constant MARK = 0xe7e7e700e7;
    uint256 private constant MARK_MASK = 0xffffff00ff;
    uint256 private constant COUNT_SHIFT = 8;
    uint256 private constant INDEX_SHIFT = 192;
    uint256 private constant INDEX_MASK = 0xff << INDEX_SHIFT;
    uint256 private constant REPLACED = INDEX_MASK | 0xffffffffff;

    /// @notice The id of the market of outcome `index`, of `count`.
    function marketId(bytes32 eventId, uint256 index, uint256 count) internal pure returns (bytes32) {
        return bytes32((uint256(eventId) & ~REPLACED) | index << INDEX_SHIFT | count << COUNT_SHIFT | MARK);
    }

    /// @notice Whether this can be the id of an event's market. One condition in four billion looks like it as well.
    function isMarked(bytes32 id) internal pure returns (bool) {
        return uint256(id) & MARK_MASK == MARK;
    }

    /// @notice What the markets of an event have in common: the id of the first.
    function first(bytes32 id) internal pure returns (bytes32) {
        return bytes32(uint256(id) & ~INDEX_MASK);
    }

    function indexOf(bytes32 id) internal pure returns (uint256) {
        return uint8(uint256(id) >> INDEX_SHIFT);
    }

    function countOf(bytes32 id) internal pure returns (uint256) {
        return uint8(uint256(id) >> COUNT_SHIFT);
    }
}
