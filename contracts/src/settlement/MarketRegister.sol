// Stores the share ids of every tradable market, and the last second in which its fills settle.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {SettlementGrace} from "./SettlementGrace.sol";
import {SettlementRoles} from "./SettlementRoles.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketRegister is SettlementRoles, SettlementGrace {
    /// @param tokenIds share ids of YES and NO; zero if nobody registered the market
    /// @param end last second in which a fill settles, with HAS_RESULT once the result has moved it; IS_PAUSED while it is paused, so
    /// that a pause costs fills of other markets nothing
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

    address public immutable collateral;
    address public immutable conditionalTokens;

    mapping(bytes32 marketId => Listing) private _listings;

    constructor(address collateral_, address conditionalTokens_) {
        collateral = collateral_;
        conditionalTokens = conditionalTokens_;
    }

    function registerMarket(bytes32 marketId, uint64 expiration)
        external
        onlyRole(REGISTRAR_ROLE)
        returns (uint256 yesTokenId, uint256 noTokenId)
    {
        Listing storage listing = _listings[marketId];
        (yesTokenId, noTokenId) = (listing.tokenIds[0], listing.tokenIds[1]);
        if (yesTokenId != 0) return (yesTokenId, noTokenId);
        IConditionalTokens shares = IConditionalTokens(conditionalTokens);
        if (shares.getOutcomeSlotCount(marketId) != 2) revert NotBinaryCondition(marketId);
        yesTokenId = shares.getPositionId(collateral, shares.getCollectionId(0, marketId, 1));
        noTokenId = shares.getPositionId(collateral, shares.getCollectionId(0, marketId, 2));
        listing.tokenIds = [yesTokenId, noTokenId];
        // The sum of an expiration near 2^64 must not wrap around into HAS_RESULT.
        uint256 end = expiration + SETTLEMENT_GRACE;
        listing.end = end > type(uint64).max ? type(uint64).max : end;
        // Approved here and not in the constructor, which may run before the stablecoin is deployed; only splits use it.
        SafeTransferLib.safeApproveWithRetry(collateral, conditionalTokens, type(uint256).max);
        emit MarketRegistered(marketId, yesTokenId, noTokenId);
        if (shares.payoutDenominator(marketId) != 0) _close(marketId);
    }

    function closeMarket(bytes32 marketId) external {
        Listing storage listing = _listings[marketId];
        // A market registered later is closed at registration; a second call must not move the end.
        if (listing.tokenIds[0] == 0 || _endOf(listing) & HAS_RESULT != 0) return;
        if (IConditionalTokens(conditionalTokens).payoutDenominator(marketId) == 0) revert MarketNotResolved(marketId);
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

    /// @dev The id is meaningless unless the code is SETTLED.
    function _tradableId(bytes32 marketId, uint256 outcome) internal view returns (uint256 code, uint256 tokenId) {
        Listing storage listing = _listings[marketId];
        uint256 end = listing.end;
        if (block.timestamp > uint64(end)) return (_codeOfEnd(listing), 0);
        return (FillCodes.SETTLED, listing.tokenIds[outcome]);
    }

    /// @dev A market that nobody registered has the end zero.
    function _codeOfEnd(Listing storage listing) private view returns (uint256) {
        uint256 end = _endOf(listing);
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
        if (end < until) until = uint64(end);
        if (listing.end == IS_PAUSED) listing.endOfPaused = until | HAS_RESULT;
        else listing.end = until | HAS_RESULT;
        emit MarketClosed(marketId, until);
    }
}
