// Creates quick markets as deterministic clones, at most one for each asset and window.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {IQuickMarket} from "../interfaces/IQuickMarket.sol";
import {IQuickMarketFactory} from "../interfaces/IQuickMarketFactory.sol";
import {FeeMath, FeeTerms} from "../libraries/FeeMath.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";

contract QuickMarketFactory is IQuickMarketFactory, OwnedRoles {
    bytes32 public constant CREATOR_ROLE = keccak256("CREATOR_ROLE");
    uint64 public constant DURATION = 900;
    uint256 public constant MAX_ASSET_LENGTH = 16;
    uint64 public constant MAX_LEAD = 1 hours;

    address public immutable marketImplementation;
    address public immutable settlement;

    mapping(address market => bool) public isMarket;
    mapping(bytes32 questionId => address market) private _markets;
    mapping(bytes32 assetHash => bytes32 feedId) private _feeds;

    constructor(address initialOwner, address marketImplementation_, address settlement_) OwnedRoles(initialOwner) {
        marketImplementation = marketImplementation_;
        settlement = settlement_;
    }

    function createQuickMarket(string calldata asset, bytes32 feedId, uint64 startTime)
        external
        onlyRole(CREATOR_ROLE)
        returns (bytes32 marketId, address market)
    {
        return _create(asset, feedId, startTime, 0, 0);
    }

    function createQuickFeeMarket(
        string calldata asset,
        bytes32 feedId,
        uint64 startTime,
        uint16 feeRateBps,
        uint16 makerShareBps
    ) external onlyRole(CREATOR_ROLE) returns (bytes32 marketId, address market) {
        return _create(asset, feedId, startTime, feeRateBps, makerShareBps);
    }

    function _create(
        string calldata asset,
        bytes32 feedId,
        uint64 startTime,
        uint16 feeRateBps,
        uint16 makerShareBps
    ) private returns (bytes32 marketId, address market) {
        _checkTerms(asset, feedId, startTime);
        _requireFeed(asset, feedId);
        bytes32 questionId = _questionId(asset, startTime);
        if (_markets[questionId] != address(0)) revert WindowTaken(_markets[questionId]);
        uint256 feesAndStart = FeeTerms.unwrap(FeeMath.toTerms(feeRateBps, makerShareBps)) << 64 | startTime;
        bytes memory terms = abi.encode(questionId, feedId, msg.sender, feesAndStart, asset);
        market = LibClone.cloneDeterministic(marketImplementation, terms, questionId);
        isMarket[market] = true;
        _markets[questionId] = market;
        marketId = _prepare(market, questionId);
        (uint256 yes, uint256 no) = IPresageSettlement(settlement)
            .registerMarket(marketId, startTime + DURATION, feeRateBps, makerShareBps);
        emit QuickMarketCreated(
            marketId, market, msg.sender, questionId, feedId, startTime, startTime + DURATION, yes, no, asset
        );
    }

    function marketOf(string calldata asset, uint64 startTime) external view returns (address) {
        return _markets[_questionId(asset, startTime)];
    }

    function feedOf(string calldata asset) external view returns (bytes32) {
        return _feeds[keccak256(bytes(asset))];
    }

    function setFeed(string calldata asset, bytes32 feedId) external onlyOwner {
        _setFeed(asset, feedId);
    }

    /// @dev A creator names the feed of a new asset; from then on only the owner can change it.
    function _requireFeed(string calldata asset, bytes32 feedId) private {
        bytes32 known = _feeds[keccak256(bytes(asset))];
        if (known == 0) _setFeed(asset, feedId);
        else if (known != feedId) revert ForeignFeed(known);
    }

    function _setFeed(string calldata asset, bytes32 feedId) private {
        _feeds[keccak256(bytes(asset))] = feedId;
        emit FeedChanged(asset, feedId);
    }

    /// @dev Anyone may have prepared the condition before, since its id is predictable: that must not prevent the market.
    function _prepare(address market, bytes32 questionId) private returns (bytes32 marketId) {
        IConditionalTokens shares = IConditionalTokens(IQuickMarket(marketImplementation).conditionalTokens());
        marketId = PositionIds.conditionId(market, questionId, 2);
        if (shares.getOutcomeSlotCount(marketId) == 0) shares.prepareCondition(market, questionId, 2);
    }

    function _checkTerms(string calldata asset, bytes32 feedId, uint64 startTime) private view {
        uint256 length = bytes(asset).length;
        if (length == 0 || length > MAX_ASSET_LENGTH) revert AssetLength(length);
        if (feedId == 0) revert ZeroFeedId();
        if (startTime % DURATION != 0) revert StartNotAligned(startTime);
        uint64 latest = uint64(block.timestamp) + MAX_LEAD;
        if (startTime > latest) revert StartTooFar(latest);
        if (block.timestamp >= startTime + DURATION) revert WindowOver(startTime + DURATION);
    }

    function _questionId(string calldata asset, uint64 startTime) private pure returns (bytes32) {
        return keccak256(abi.encode("quick", asset, startTime));
    }
}
