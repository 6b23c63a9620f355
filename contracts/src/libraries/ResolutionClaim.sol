// Builds the sentence that a proposal asserts, for the people who decide a dispute.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LibString} from "solady/src/utils/LibString.sol";

library ResolutionClaim {
    /// @dev With the round, a second assertion of the same outcome is a different claim, even within the same second.
    /// @param answer a whole sentence
    function write(bytes32 marketId, uint32 round, string memory answer, string memory question, string memory description)
        internal
        view
        returns (bytes memory)
    {
        return abi.encodePacked(
            answer,
            " Question: ",
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

    /// @param outcome 0 is YES, 1 is NO, 2 is neither
    function answerOf(uint8 outcome) internal pure returns (string memory) {
        if (outcome == 0) return "The answer to the question below is YES.";
        if (outcome == 1) return "The answer to the question below is NO.";
        return "The question below can be answered neither YES nor NO by its rules, so both outcomes pay one half.";
    }
}
