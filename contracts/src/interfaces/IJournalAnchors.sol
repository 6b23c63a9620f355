// What a journal was at some time, written where its operator cannot change it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IJournalAnchors {
    /// @param operator who anchored it: anyone may, and readers look for the operator of the journal
    /// @param hash of the newest frames of all partitions; each frame holds the hash of the one before
    event Anchored(address indexed operator, bytes32 hash);

    function anchor(bytes32 hash) external;
}
