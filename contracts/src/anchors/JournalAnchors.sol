// Keeps nothing and decides nothing: an event in a block is all that a proof needs.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IJournalAnchors} from "../interfaces/IJournalAnchors.sol";

contract JournalAnchors is IJournalAnchors {
    function anchor(bytes32 hash) external {
        emit Anchored(msg.sender, hash);
    }
}
