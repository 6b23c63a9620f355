// The sentence that a proposal asserts, written for the people who judge a dispute.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LibString} from "solady/src/utils/LibString.sol";

library ResolutionClaim {
    /// @dev The round makes a second assertion of the same outcome another claim, even within one second.
    function write(bytes32 marketId, uint32 round, bool yes, string memory question, string memory description)
        internal
        view
        returns (bytes memory)
    {
        return abi.encodePacked(
            "The answer to the question below is ",
            yes ? "YES" : "NO",
            ". Question: ",
            question,
            " Rules: ",
            description,
            " (Market ",
            LibString.toHexString(uint256(marketId), 32),
            " on chain ",
            LibString.toString(block.chainid),
            ", proposal ",
            LibString.toString(round),
            ".)"
        );
    }
}
