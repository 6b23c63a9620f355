// Writes the hash of the journal's newest frames into an event; it stores nothing, since a proof needs only the event.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IJournalAnchors} from "../interfaces/IJournalAnchors.sol";

contract JournalAnchors is IJournalAnchors {
    function anchor(bytes32 hash) external {
        emit Anchored(msg.sender, hash);
    }
}
