// Stores the share ids of every tradable market, its fees, and the last second in which its fills settle.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {FeeMath, FeeTerms} from "../libraries/FeeMath.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {OrderTable} from "../libraries/OrderTable.sol";
import {OrderRef} from "../libraries/OrderWords.sol";
import {FeeTreasury} from "./FeeTreasury.sol";
import {SettlementGrace} from "./SettlementGrace.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketRegister is FeeTreasury, SettlementGrace {
    /// @param tokenIds share ids of YES and NO; zero if nobody registered the market
    /// @param end last second in which a fill settles, with HAS_RESULT once the result has moved it and the market's fees above, which a
    /// fill then reads for nothing; IS_PAUSED while it is paused, so that a pause costs fills of other markets nothing
    /// @param endOfPaused the end of a market while it is paused
    struct Listing {
        uint256[2] tokenIds;
        uint256 end;
        uint256 endOfPaused;
    }

    uint256 public constant RESOLUTION_GRACE = 120;
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    uint256 private constant HAS_RESULT = 1 << 64;
    uint256 private constant IS_PAUSED = 1 << 65;
    uint256 private constant FEES_SHIFT = 128;

    address public immutable collateral;
    address public immutable conditionalTokens;

    mapping(bytes32 marketId => Listing) private _listings;

    constructor(address collateral_, address conditionalTokens_) {
        collateral = collateral_;
        conditionalTokens = conditionalTokens_;
    }

    function registerMarket(bytes32 marketId, uint64 expiration, uint16 feeRateBps, uint16 makerShareBps)
        external
        onlyRole(REGISTRAR_ROLE)
        returns (uint256 yesTokenId, uint256 noTokenId)
    {
        Listing storage listing = _listings[marketId];
        (yesTokenId, noTokenId) = (listing.tokenIds[0], listing.tokenIds[1]);
        FeeTerms fees = FeeMath.toTerms(feeRateBps, makerShareBps);
        if (yesTokenId != 0) {
            // Whoever registers next announces the fees that were asked for: they must be those that are charged.
            if (FeeTerms.unwrap(_feesOf(marketId)) != FeeTerms.unwrap(fees)) revert FeesAreFixed();
            return (yesTokenId, noTokenId);
        }
        IConditionalTokens shares = IConditionalTokens(conditionalTokens);
        (yesTokenId, noTokenId) = shares.outcomeTokens(collateral, marketId);
        listing.tokenIds = [yesTokenId, noTokenId];
        // The sum of an expiration near 2^64 must not wrap around into HAS_RESULT.
        uint256 end = expiration + SETTLEMENT_GRACE;
        if (end > type(uint64).max) end = type(uint64).max;
        listing.end = end | FeeTerms.unwrap(fees) << FEES_SHIFT;
        if (FeeTerms.unwrap(fees) != 0) _announceFees(marketId, feeRateBps, makerShareBps);
        // Approved here and not in the constructor, which may run before the stablecoin is deployed; only splits use it.
        SafeTransferLib.safeApproveWithRetry(collateral, conditionalTokens, type(uint256).max);
        emit MarketRegistered(marketId, yesTokenId, noTokenId);
        if (shares.isResolved(marketId)) _close(marketId);
    }

    function _announceFees(bytes32 marketId, uint16 feeRateBps, uint16 makerShareBps) private {
        if (feeRateBps > FeeMath.MAX_RATE_BPS || makerShareBps > FeeMath.BASIS_POINTS) {
            revert FeesTooHigh();
        }
        if (treasury == address(0)) revert NoTreasury();
        emit MarketFeesFixed(marketId, feeRateBps, makerShareBps);
    }

    function closeMarket(bytes32 marketId) external {
        Listing storage listing = _listings[marketId];
        // A market registered later is closed at registration; a second call must not move the end.
        if (listing.tokenIds[0] == 0 || _endOf(listing) & HAS_RESULT != 0) return;
        if (!IConditionalTokens(conditionalTokens).isResolved(marketId)) revert MarketNotResolved(marketId);
        _close(marketId);
    }

    /// @dev One function for both, with a selector above that of `settleBatch`: every one below it makes a batch dearer.
    function setMarketPaused(bytes32 marketId, bool isPaused) external {
        if (isPaused) _requirePauser();
        else if (msg.sender != owner) revert NotOwner();
        Listing storage listing = _listings[marketId];
        uint256 end = _endOf(listing);
        if (end == 0) revert MarketNotRegistered(marketId);
        (listing.end, listing.endOfPaused) = isPaused ? (IS_PAUSED, end) : (end, 0);
        emit MarketPaused(marketId, isPaused, msg.sender);
    }

    function tokenIdOf(bytes32 marketId, uint256 outcome) external view returns (uint256) {
        return _listings[marketId].tokenIds[outcome];
    }

    function settlesUntil(bytes32 marketId) external view returns (uint64) {
        return uint64(_endOf(_listings[marketId]));
    }

    function feesOf(bytes32 marketId) external view returns (uint16 feeRateBps, uint16 makerShareBps) {
        FeeTerms fees = _feesOf(marketId);
        return (uint16(fees.rateBps()), uint16(fees.shareBps()));
    }

    function _feesOf(bytes32 marketId) private view returns (FeeTerms) {
        return FeeTerms.wrap(_endOf(_listings[marketId]) >> FEES_SHIFT);
    }

    /// @dev Fills that follow each other are often of one market, whose token and fees then stand in the table already.
    /// @return isTradable false, and the table is as it was, if no fill of this market settles: see `_whyNotTradable`
    function _findToken(OrderTable memory table, OrderRef order) internal view returns (bool isTradable) {
        if (table.hasToken(order)) return true;
        Listing storage listing = _listings[order.marketId()];
        uint256 end = listing.end;
        if (block.timestamp > uint64(end)) return false;
        table.keepToken(order, listing.tokenIds[order.outcome()], FeeTerms.wrap(end >> FEES_SHIFT));
        return true;
    }

    /// @dev A market that nobody registered has the end zero.
    function _whyNotTradable(bytes32 marketId) internal view returns (uint256) {
        uint256 end = _endOf(_listings[marketId]);
        if (end == 0) return FillCodes.MARKET_UNKNOWN;
        if (block.timestamp <= uint64(end)) return FillCodes.MARKET_PAUSED;
        return end & HAS_RESULT == 0 ? FillCodes.MARKET_ENDED : FillCodes.MARKET_RESOLVED;
    }

    function _endOf(Listing storage listing) private view returns (uint256 end) {
        end = listing.end;
        if (end == IS_PAUSED) end = listing.endOfPaused;
    }

    /// @dev A result brings the end nearer and never puts it off.
    function _close(bytes32 marketId) private {
        Listing storage listing = _listings[marketId];
        uint256 end = _endOf(listing);
        uint64 until = uint64(block.timestamp + RESOLUTION_GRACE);
        if (uint64(end) < until) until = uint64(end);
        end = end >> FEES_SHIFT << FEES_SHIFT | HAS_RESULT | until;
        if (listing.end == IS_PAUSED) listing.endOfPaused = end;
        else listing.end = end;
        emit MarketClosed(marketId, until);
    }
}
