// Stores the share ids of every tradable market, and until when its fills settle once its result is on chain.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketRegister is IPresageSettlement {
    uint256 public constant RESOLUTION_GRACE = 120;
    /// @dev A share id is a hash, so a smaller value is not an id but the last second in which a resolved market settles.
    uint256 private constant TIMESTAMP_BITS = 64;

    address public immutable collateral;
    address public immutable conditionalTokens;

    /// @dev While a market trades, a fill reads one of its two words. Once it is resolved, both words hold the last second in
    /// which it settles, and the ids are stored elsewhere.
    mapping(bytes32 marketId => uint256[2]) private _tokenIds;
    mapping(bytes32 marketId => uint256[2]) private _idsOfResolved;

    constructor(address collateral_, address conditionalTokens_) {
        collateral = collateral_;
        conditionalTokens = conditionalTokens_;
    }

    function registerMarket(bytes32 marketId) external returns (uint256 yesTokenId, uint256 noTokenId) {
        (yesTokenId, noTokenId) = (tokenIdOf(marketId, 0), tokenIdOf(marketId, 1));
        if (yesTokenId != 0) return (yesTokenId, noTokenId);
        IConditionalTokens shares = IConditionalTokens(conditionalTokens);
        if (shares.getOutcomeSlotCount(marketId) != 2) revert NotBinaryCondition(marketId);
        yesTokenId = shares.getPositionId(collateral, shares.getCollectionId(0, marketId, 1));
        noTokenId = shares.getPositionId(collateral, shares.getCollectionId(0, marketId, 2));
        _tokenIds[marketId] = [yesTokenId, noTokenId];
        // Approved here and not in the constructor, which may run before the stablecoin is deployed; only splits use it.
        SafeTransferLib.safeApproveWithRetry(collateral, conditionalTokens, type(uint256).max);
        emit MarketRegistered(marketId, yesTokenId, noTokenId);
        if (shares.payoutDenominator(marketId) != 0) _close(marketId);
    }

    function closeMarket(bytes32 marketId) external {
        uint256 stored = _tokenIds[marketId][0];
        // A market registered later is closed at registration; a second call must not move the end.
        if (_isNoId(stored)) return;
        if (IConditionalTokens(conditionalTokens).payoutDenominator(marketId) == 0) revert MarketNotResolved(marketId);
        _close(marketId);
    }

    function tokenIdOf(bytes32 marketId, uint256 outcome) public view returns (uint256) {
        uint256 stored = _tokenIds[marketId][outcome];
        return _isNoId(stored) ? _idsOfResolved[marketId][outcome] : stored;
    }

    function settlesUntil(bytes32 marketId) external view returns (uint64) {
        uint256 stored = _tokenIds[marketId][0];
        return _isNoId(stored) ? uint64(stored) : type(uint64).max;
    }

    function _storedId(bytes32 marketId, uint256 outcome) internal view returns (uint256) {
        return _tokenIds[marketId][outcome];
    }

    function _isNoId(uint256 stored) internal pure returns (bool) {
        return stored >> TIMESTAMP_BITS == 0;
    }

    /// @dev The id is meaningless unless the code is SETTLED.
    function _idAfterResult(bytes32 marketId, uint256 outcome, uint256 stored)
        internal
        view
        returns (uint256 code, uint256 tokenId)
    {
        if (stored == 0) return (FillCodes.MARKET_UNKNOWN, 0);
        if (block.timestamp > stored) return (FillCodes.MARKET_RESOLVED, 0);
        return (FillCodes.SETTLED, _idsOfResolved[marketId][outcome]);
    }

    function _close(bytes32 marketId) private {
        uint256[2] storage ids = _tokenIds[marketId];
        _idsOfResolved[marketId] = ids;
        uint64 until = uint64(block.timestamp + RESOLUTION_GRACE);
        (ids[0], ids[1]) = (until, until);
        emit MarketClosed(marketId, until);
    }
}
