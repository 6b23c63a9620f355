// Creates markets: one clone per question, whose id follows from its terms and its creator.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IMarketFactory {
    error ExpirationNotInFuture();
    error ExpirationTooFar(uint64 latest);
    error QuestionLength(uint256 length);
    error DescriptionLength(uint256 length);
    error CategoryLength(uint256 length);

    event MarketCreated(
        bytes32 indexed marketId,
        address indexed market,
        address indexed maker,
        bytes32 questionId,
        uint64 expiration,
        uint256 yesTokenId,
        uint256 noTokenId,
        uint256 bond,
        string category,
        string question,
        string description
    );
    event BondChanged(uint256 bond);
    /// @notice The market that was just created may be resolved before its expiration.
    event EarlyResolutionAllowed(bytes32 indexed marketId);

    /// @notice Creates a market for the sender, prepares its condition and registers its shares with the settlement.
    function createMarket(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) external returns (bytes32 marketId, address market);

    /// @notice The same for a market that may be resolved before its expiration: see IMarket.earlyResolution.
    function createEarlyMarket(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) external returns (bytes32 marketId, address market);

    /// @notice The same for a market in which takers pay: see IPresageSettlement.registerMarket. Its address and so its id follow from the
    /// fees as well: who signs an order for the id has agreed to them.
    function createFeeMarket(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration,
        bool early,
        uint16 feeRateBps,
        uint16 makerShareBps
    ) external returns (bytes32 marketId, address market);

    /// @notice Where the sender's next market with these terms will be, unless it may be resolved early or has fees.
    /// @dev The counter is kept per identical terms, so that an id does not depend on the order in which other markets are created:
    /// after a reorganization the same creations give the same ids.
    function predictMarket(
        address creator,
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) external view returns (bytes32 marketId, address market, bytes32 questionId);

    /// @notice The bond of markets created from now on; existing ones keep theirs.
    function setBond(uint256 bond) external;

    function isMarket(address market) external view returns (bool);
    function bond() external view returns (uint256);
    function marketImplementation() external view returns (address);
    function settlement() external view returns (address);
    /// @notice How far ahead an expiration may lie, in seconds.
    function MAX_LIFETIME() external view returns (uint64);
    function CREATOR_ROLE() external view returns (bytes32);
}
