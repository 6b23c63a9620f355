// Records the state of a journal at a time, where its operator cannot change it later.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IJournalAnchors {
    /// @param operator who anchored it: anyone may call this, and readers look for the journal's operator
    /// @param hash hash of the newest frames of all partitions; each frame holds the hash of the one before
    event Anchored(address indexed operator, bytes32 hash);

    function anchor(bytes32 hash) external;
}
