// Creates quick markets: one clone per asset and window, from which its id follows.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IQuickMarketFactory {
    error StartNotAligned(uint64 startTime);
    error WindowOver(uint64 endTime);
    error AssetLength(uint256 length);
    error ZeroFeedId();
    error WindowTaken(address market);
    error StartTooFar(uint64 latest);
    /// @param feedId the asset's own
    error ForeignFeed(bytes32 feedId);

    event FeedChanged(string asset, bytes32 feedId);

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
    /// @dev The first market of an asset fixes its feed, so that nobody takes later windows with a foreign one.
    /// @param startTime a multiple of 15 minutes, at most MAX_LEAD ahead; the window may have begun, but not ended
    function createQuickMarket(string calldata asset, bytes32 feedId, uint64 startTime)
        external
        returns (bytes32 marketId, address market);

    /// @notice The same for a market in which takers pay: see IPresageSettlement.registerMarket. Its address and so its id follow from the
    /// fees as well.
    function createQuickFeeMarket(
        string calldata asset,
        bytes32 feedId,
        uint64 startTime,
        uint16 feeRateBps,
        uint16 makerShareBps
    ) external returns (bytes32 marketId, address market);

    /// @notice The market of an asset and a window, or the zero address.
    function marketOf(string calldata asset, uint64 startTime) external view returns (address);

    /// @notice The price that decides the markets of an asset; zero until there is one.
    function feedOf(string calldata asset) external view returns (bytes32);
    /// @notice Changes it for markets created from now on; zero lets the next creator name it.
    function setFeed(string calldata asset, bytes32 feedId) external;
    function MAX_LEAD() external view returns (uint64);
    function isMarket(address market) external view returns (bool);
    function marketImplementation() external view returns (address);
    function settlement() external view returns (address);
    function CREATOR_ROLE() external view returns (bytes32);
}
