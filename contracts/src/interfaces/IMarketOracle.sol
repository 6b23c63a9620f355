// Names the optimistic oracle of all markets, and replaces it where it answers no more.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IMarketOracle {
    error NothingAnnounced();
    error TooEarlyToReplace(uint64 from);
    /// @dev The oracle answers and takes bonds in the collateral, so its markets keep it.
    error OracleStillServes();
    error NotAnOracle(address oracle);
    error NotEnoughGas();

    event ReplacementAnnounced(address indexed oracle, uint64 from);
    event OracleReplaced(address indexed previous, address indexed oracle);

    /// @notice Announces another oracle for all markets that have no result; zero withdraws the announcement.
    function announceReplacement(address oracle) external;

    /// @notice Replaces the oracle, REPLACEMENT_DELAY after the announcement, and only if the current one does not serve any more.
    /// Anyone may call this. Assertions that were made at the previous oracle can still be settled there.
    function replace() external;

    /// @notice Whether the oracle answers, and takes bonds in the collateral.
    /// @dev Updates what UMA's oracle remembers of its list of tokens, which is why it is no view.
    function serves() external returns (bool);

    /// @notice The oracle at which markets assert.
    function oracle() external view returns (address);
    function announced() external view returns (address);
    function replaceableFrom() external view returns (uint64);
    function collateral() external view returns (address);
    function REPLACEMENT_DELAY() external view returns (uint64);
}
