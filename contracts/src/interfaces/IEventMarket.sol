// One event on chain: its outcomes, the market of each, and the resolution that decides all of them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IEventMarket {
    error NotOutcomeMarket(address sender);
    error NoSuchIndex(uint256 index);

    event OutcomeOpened(uint256 indexed index, address indexed market);

    /// @notice Makes the condition of this contract an event; the factory does so once.
    function prepare() external;
    /// @notice Puts the market of an outcome at its address, which follows from the event and the index; anyone may call it, again too.
    function openOutcome(uint256 index) external returns (address market);

    /// @notice Asserts for `proposer` that an outcome has won, or that all pay the same; only the outcome's market may call it, and it has
    /// allowed this contract to take the bond.
    function propose(uint8 index, bool isVoid, address proposer, address payer) external returns (bytes32 assertionId);

    function outcomeCount() external view returns (uint256);
    /// @notice Its name, as the event's terms have it.
    function outcomeName(uint256 index) external view returns (string memory);
    /// @notice The contract of an outcome's market; zero until it was opened.
    function outcomeMarket(uint256 index) external view returns (address);
    /// @notice The id under which an outcome is traded.
    function outcomeMarketId(uint256 index) external view returns (bytes32);
    function fees() external view returns (uint16 feeRateBps, uint16 makerShareBps);
}
