// Records which traders have halted, with a 64-bit filter that saves the storage read for everyone else.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev A trader whose bit of the filter is not set has never halted. A set bit may belong to another trader: then it only costs a
/// storage read.
library HaltedTraders {
    bytes32 private constant TAG = keccak256("presage.halted-traders");

    function bitOf(address trader) internal pure returns (uint256) {
        return 1 << (uint160(trader) & 63);
    }

    /// @notice Last second in which this trader's orders settle; zero if they have not halted.
    function effectiveAfter(address trader) internal view returns (uint256 lastSecond) {
        bytes32 slot = _slotOf(trader);
        assembly ("memory-safe") {
            lastSecond := sload(slot)
        }
    }

    function store(address trader, uint256 lastSecond) internal {
        bytes32 slot = _slotOf(trader);
        assembly ("memory-safe") {
            sstore(slot, lastSecond)
        }
    }

    function isHalted(address trader) internal view returns (bool) {
        uint256 lastSecond = effectiveAfter(trader);
        return lastSecond != 0 && block.timestamp > lastSecond;
    }

    /// @dev 52 bytes: neither a mapping's preimage, which has 64, nor that of an order counter, which has 96.
    function _slotOf(address trader) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(trader, TAG));
    }
}
