// A market on whether a price is at least as high at the end of a window as at its start.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A price that the oracle proved to be the first one at or after a boundary.
/// @param publishTime zero while there is none
struct BoundaryPrice {
    int64 price;
    int32 expo;
    uint64 publishTime;
}

interface IQuickMarket {
    error AlreadyStruck();
    error NotStruck();
    error AlreadySettled();
    error TooEarlyToVoid(uint64 from);
    /// @dev The boundary has a price that can be used, so the market is not void.
    error PriceExists(uint64 publishTime);
    error PriceNotPositive(int64 price);
    /// @dev The oracle's confidence interval is too wide for this price to decide a market.
    error ConfidenceTooWide(int64 price, uint64 conf);
    error FeeTooLow(uint256 fee);
    error ExponentsTooFarApart(int32 start, int32 end);

    event Struck(int64 price, int32 expo, uint64 publishTime);
    /// @param winningOutcome 0 is YES: the end price is at or above the start price
    event Resolved(int64 price, int32 expo, uint64 publishTime, uint8 winningOutcome);
    event Voided();

    /// @notice Fixes the start price. Anyone may call this, with the oracle's fee as value: the price is proved and can be proved
    /// after the end as well. Value above the fee is returned.
    function strike(bytes[] calldata updateData) external payable;

    /// @notice Fixes the end price and reports the outcome. Anyone may call this, with the oracle's fee as value.
    function resolve(bytes[] calldata updateData) external payable;

    /// @notice Pays both outcomes one half, with the oracle's proof that a boundary has no price that can be used: the first update at or
    /// after it was published too late, or is not positive, or too imprecise. The boundary is the start, or the end once there is a start
    /// price. Anyone may call this, with the oracle's fee as value.
    function voidWithProof(bytes[] calldata updateData) external payable;

    /// @notice The same without proof, UNPROVED_VOID_DELAY after the end. Start and end price can still be fixed after that: whichever call
    /// comes first counts.
    function void() external;

    /// @notice The market's id: the id of its condition, of which this contract is the oracle.
    function marketId() external view returns (bytes32);
    function questionId() external view returns (bytes32);
    function asset() external view returns (string memory);
    /// @notice The oracle's id of the asset's price.
    function feedId() external view returns (bytes32);
    function maker() external view returns (address);
    function startTime() external view returns (uint64);
    /// @notice From this second on no order is matched.
    function endTime() external view returns (uint64);
    function expiration() external view returns (uint64);
    function startPrice() external view returns (BoundaryPrice memory);
    function endPrice() external view returns (BoundaryPrice memory);
    /// @notice Whether the payouts are reported, by price or by voiding.
    function settled() external view returns (bool);
    function priceOracle() external view returns (address);
    function settlement() external view returns (address);
    /// @notice The widest confidence interval that is accepted: half its width, in basis points of the price.
    function MAX_CONFIDENCE_BPS() external view returns (uint256);
    /// @notice How long after its end a market waits for a price or for the proof that there is none, in seconds.
    function UNPROVED_VOID_DELAY() external view returns (uint64);
    function conditionalTokens() external view returns (address);
    function collateral() external view returns (address);
}
