// The part of Pyth's interface that quick markets call: same selectors, same structs, same errors.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @param price in units of 10^expo
/// @param conf half the width of the confidence interval, in the same units
struct Price {
    int64 price;
    uint64 conf;
    int32 expo;
    uint256 publishTime;
}

struct PriceFeed {
    bytes32 id;
    Price price;
    Price emaPrice;
}

interface IPriceOracle {
    error InvalidUpdateData();
    error PriceFeedNotFoundWithinRange();

    /// @notice The fee for parsing `updateData`, in wei.
    function getUpdateFee(bytes[] calldata updateData) external view returns (uint256 feeAmount);

    /// @notice The first update of each feed published within the range, proved to be the first by the publish time of the update
    /// before it:
    /// previous publish time < minPublishTime <= publish time <= maxPublishTime.
    function parsePriceFeedUpdatesUnique(
        bytes[] calldata updateData,
        bytes32[] calldata priceIds,
        uint64 minPublishTime,
        uint64 maxPublishTime
    ) external payable returns (PriceFeed[] memory priceFeeds);
}
