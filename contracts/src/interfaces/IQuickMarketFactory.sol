// Creates quick markets: one clone per asset and window, from which its id follows.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IQuickMarketFactory {
    error StartNotAligned(uint64 startTime);
    error WindowOver(uint64 endTime);
    error AssetLength(uint256 length);
    error ZeroFeedId();
    error WindowTaken(address market);

    event QuickMarketCreated(
        bytes32 indexed marketId,
        address indexed market,
        address indexed maker,
        bytes32 questionId,
        bytes32 feedId,
        uint64 startTime,
        uint64 endTime,
        uint256 yesTokenId,
        uint256 noTokenId,
        string asset
    );

    /// @notice Creates the market of an asset for the window that begins at `startTime`, prepares its condition and registers its
    /// shares with the settlement.
    /// @param asset its symbol in capitals
    /// @param feedId the oracle's id of its price
    /// @param startTime a multiple of 15 minutes; the window may have begun, but not ended
    function createQuickMarket(string calldata asset, bytes32 feedId, uint64 startTime)
        external
        returns (bytes32 marketId, address market);

    /// @notice The market of an asset and a window, or the zero address.
    function marketOf(string calldata asset, uint64 startTime) external view returns (address);

    function isMarket(address market) external view returns (bool);
    function marketImplementation() external view returns (address);
    function settlement() external view returns (address);
    function CREATOR_ROLE() external view returns (bytes32);
}
