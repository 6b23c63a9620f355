// One market on chain: its terms, which never change, and its state.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

enum MarketStatus {
    Open,
    Expired,
    Proposed,
    Disputed,
    Resolved
}

/// @notice The state of the resolution: the assertion that resolved the market or, until then, the live one that decides next unless
/// something happens: the oldest undisputed one, else the oldest.
/// @param assertionId the oracle's id of that assertion; zero while there is none
/// @param proposer who signed the proposal, whoever paid its bond
/// @param round how many proposals there have been
/// @param proposedOutcome 0 is YES, 1 is NO, 2 pays both one half; meaningless while there is no assertion and no result
struct Resolution {
    bytes32 assertionId;
    address proposer;
    uint32 round;
    uint8 proposedOutcome;
    bool disputed;
    bool resolved;
}

interface IMarket {
    /// @notice The market's id: the id of its condition, of which this contract is the oracle.
    function marketId() external view returns (bytes32);
    function questionId() external view returns (bytes32);
    function question() external view returns (string memory);
    function description() external view returns (string memory);
    function category() external view returns (string memory);
    /// @notice Who created the market.
    function maker() external view returns (address);
    /// @notice From this second on no order is matched, and a resolution may be proposed.
    function expiration() external view returns (uint64);
    /// @notice Whether a resolution may be proposed before the expiration, for questions whose answer can be known earlier. A proposal
    /// that is made too early is false; the market goes on once it is rejected.
    function earlyResolution() external view returns (bool);
    /// @notice The bond a proposal must pay now, in units of the collateral: the one set at creation, or the oracle's
    /// minimum if that is higher by now.
    function bond() external view returns (uint256);
    function status() external view returns (MarketStatus);
    function resolution() external view returns (Resolution memory);
    function collateral() external view returns (address);
    function conditionalTokens() external view returns (address);
}
