// Settles matched orders: verifies both signatures, moves stablecoin and shares, fill by fill.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {Order, Signature} from "../interfaces/IPresageSettlement.sol";
import {CostMath} from "../libraries/CostMath.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {FilledAmounts} from "../libraries/FilledAmounts.sol";
import {OrderHash} from "../libraries/OrderHash.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";
import {FillExecutor} from "./FillExecutor.sol";
import {EIP712} from "solady/src/utils/EIP712.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

contract PresageSettlement is FillExecutor, OwnedRoles, EIP712 {
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    uint256 public constant MAX_FILLS = 100;
    /// @dev What one fill may burn at most, and what is kept back to record its failure and to end the batch.
    uint256 public constant MIN_FILL_GAS = FILL_GAS + 40_000;
    /// @dev In place of an order's hash: its signature was checked in this batch and is bad.
    bytes32 private constant BAD_SIGNATURE = bytes32(uint256(1));

    uint256 public immutable SETTLEMENT_GRACE;

    bool public paused;
    mapping(bytes32 marketId => uint256[2]) private _tokenIds;
    mapping(bytes32 key => uint256 word) private _filled;
    mapping(address trader => mapping(bytes32 marketId => mapping(uint256 nonce => uint64))) private _cancels;

    /// @dev Nothing is called here, so the tokens may be deployed after the settlement.
    constructor(address initialOwner, address collateral_, address conditionalTokens_, uint256 settlementGrace)
        FillExecutor(collateral_, conditionalTokens_)
        OwnedRoles(initialOwner)
    {
        SETTLEMENT_GRACE = settlementGrace;
    }

    // ---------------------------------------------------------------- settling

    function settleBatch(Order[] calldata orders, Signature[] calldata signatures, uint256[] calldata fills)
        external
        onlyRole(OPERATOR_ROLE)
    {
        if (paused) revert SettlementPaused();
        if (fills.length > MAX_FILLS) revert TooManyFills(fills.length);
        if (orders.length != signatures.length) revert SignatureCountMismatch(orders.length, signatures.length);
        bytes32[] memory hashes = new bytes32[](orders.length);
        for (uint256 i; i < fills.length; ++i) {
            if (gasleft() < MIN_FILL_GAS) {
                emit FillsNotAttempted(i);
                return;
            }
            uint8 code = _settleFill(orders, signatures, hashes, fills[i]);
            if (code != FillCodes.SETTLED) _reportFailure(orders, fills[i], i, code);
        }
    }

    function _settleFill(
        Order[] calldata orders,
        Signature[] calldata signatures,
        bytes32[] memory hashes,
        uint256 fill
    ) private returns (uint8 code) {
        (uint256 buyIndex, uint256 sellIndex) = _indexes(fill);
        if (buyIndex >= orders.length || sellIndex >= orders.length) return FillCodes.UNKNOWN_ORDER;
        bytes32 buyHash = _verify(orders, signatures, hashes, buyIndex);
        if (buyHash == BAD_SIGNATURE) return FillCodes.BUYER_SIGNATURE;
        bytes32 sellHash = _verify(orders, signatures, hashes, sellIndex);
        if (sellHash == BAD_SIGNATURE) return FillCodes.SELLER_SIGNATURE;
        uint256 price = uint64(fill >> 64);
        uint256 size = uint64(fill);
        uint256 amounts;
        (code, amounts) = _fillPair(orders[buyIndex], orders[sellIndex], price, size);
        if (code == FillCodes.SETTLED) emit FillSettled(buyHash, sellHash, amounts);
    }

    function _fillPair(Order calldata buy, Order calldata sell, uint256 price, uint256 size)
        private
        returns (uint8 code, uint256 amounts)
    {
        code = _checkPair(buy, sell, price, size);
        if (code != FillCodes.SETTLED) return (code, 0);
        uint256 tokenId = _tokenIds[buy.marketId][buy.outcome];
        if (tokenId == 0) return (FillCodes.MARKET_UNKNOWN, 0);

        // The counters are written before anything moves, one after the other: they may share a word.
        bytes32 buyKey = FilledAmounts.keyOf(buy.trader, buy.marketId, buy.nonce);
        uint256 buyWord = _filled[buyKey];
        code = _checkRoom(buy, buyWord, size);
        if (code != FillCodes.SETTLED) return (code, 0);
        _filled[buyKey] = FilledAmounts.plus(buyWord, buy.nonce, size);

        bytes32 sellKey = FilledAmounts.keyOf(sell.trader, sell.marketId, sell.nonce);
        uint256 sellWord = _filled[sellKey];
        code = _checkRoom(sell, sellWord, size);
        if (code != FillCodes.SETTLED) {
            _filled[buyKey] = buyWord;
            return (code + FillCodes.SELLER_OFFSET, 0);
        }
        _filled[sellKey] = FilledAmounts.plus(sellWord, sell.nonce, size);

        uint256 cost = CostMath.costOf(price, size);
        uint256 minted;
        (code, minted) = _tryExecute(buy, sell, tokenId, size, cost);
        if (code != FillCodes.SETTLED) {
            _filled[sellKey] = sellWord;
            _filled[buyKey] = buyWord;
        }
        amounts = price << 192 | size << 128 | cost << 64 | minted;
    }

    function _tryExecute(Order calldata buy, Order calldata sell, uint256 tokenId, uint256 size, uint256 cost)
        private
        returns (uint8 code, uint256 minted)
    {
        try this.executeFill{gas: FILL_GAS}(
            buy.trader, sell.trader, tokenId, buy.marketId, buy.outcome, size, cost
        ) returns (uint256 made) {
            minted = made;
        } catch (bytes memory reason) {
            code = _codeOf(reason);
        }
    }

    /// @dev Failures are rare, so the hash of an order whose signature is bad is worked out again here.
    function _reportFailure(Order[] calldata orders, uint256 fill, uint256 fillIndex, uint8 code) private {
        (uint256 buyIndex, uint256 sellIndex) = _indexes(fill);
        bytes32 buyHash = buyIndex < orders.length ? hashOrder(orders[buyIndex]) : bytes32(0);
        bytes32 sellHash = sellIndex < orders.length ? hashOrder(orders[sellIndex]) : bytes32(0);
        emit FillFailed(buyHash, sellHash, fillIndex, code);
    }

    function _indexes(uint256 fill) private pure returns (uint256 buyIndex, uint256 sellIndex) {
        buyIndex = fill >> 144;
        sellIndex = uint16(fill >> 128);
    }

    // ---------------------------------------------------------------- checking

    function _verify(
        Order[] calldata orders,
        Signature[] calldata signatures,
        bytes32[] memory hashes,
        uint256 index
    ) private view returns (bytes32 hash) {
        hash = hashes[index];
        if (hash != 0) return hash;
        Order calldata order = orders[index];
        hash = OrderHash.digestOf(order, _domainSeparator());
        if (!OrderHash.isSignedBy(hash, signatures[index], order.trader)) hash = BAD_SIGNATURE;
        hashes[index] = hash;
    }

    function _checkPair(Order calldata buy, Order calldata sell, uint256 price, uint256 size)
        private
        view
        returns (uint8)
    {
        if (buy.side != 0 || sell.side != 1 || size == 0) return FillCodes.MISMATCH;
        if (buy.marketId != sell.marketId || buy.outcome != sell.outcome || buy.outcome > 1) return FillCodes.MISMATCH;
        if (price > buy.price || price < sell.price) return FillCodes.PRICE_OUTSIDE_LIMITS;
        if (price == 0 || price >= CostMath.PRICE_SCALE) return FillCodes.PRICE_OUTSIDE_LIMITS;
        if (buy.makerFeeRecipient != address(0)) return FillCodes.BUYER_FEE_RECIPIENT;
        if (sell.makerFeeRecipient != address(0)) return FillCodes.SELLER_FEE_RECIPIENT;
        if (block.timestamp > buy.expiration + SETTLEMENT_GRACE) return FillCodes.BUYER_EXPIRED;
        if (block.timestamp > sell.expiration + SETTLEMENT_GRACE) return FillCodes.SELLER_EXPIRED;
        return FillCodes.SETTLED;
    }

    /// @dev Answers in the buyer's codes.
    function _checkRoom(Order calldata order, uint256 word, uint256 size) private view returns (uint8) {
        uint256 total = FilledAmounts.amountIn(word, order.nonce) + size;
        if (total > order.size || total > FilledAmounts.MAX_AMOUNT) return FillCodes.BUYER_OVERFILLED;
        if (FilledAmounts.isFlagged(word, order.nonce)) {
            if (block.timestamp > _cancels[order.trader][order.marketId][order.nonce]) {
                return FillCodes.BUYER_CANCELLED;
            }
        }
        return FillCodes.SETTLED;
    }

    // ---------------------------------------------------------------- cancelling, registering, pausing

    function requestCancel(bytes32 marketId, uint64 nonce) external {
        uint64 earlier = _cancels[msg.sender][marketId][nonce];
        // A second request must neither hasten nor put off the first.
        if (earlier != 0) revert CancelAlreadyRequested(earlier);
        uint64 effectiveAfter = uint64(block.timestamp + SETTLEMENT_GRACE);
        _cancels[msg.sender][marketId][nonce] = effectiveAfter;
        bytes32 key = FilledAmounts.keyOf(msg.sender, marketId, nonce);
        _filled[key] = FilledAmounts.withFlag(_filled[key], nonce);
        emit OrderCancelRequested(msg.sender, marketId, nonce, effectiveAfter);
    }

    function registerMarket(bytes32 marketId) external returns (uint256 yesTokenId, uint256 noTokenId) {
        uint256[2] storage ids = _tokenIds[marketId];
        (yesTokenId, noTokenId) = (ids[0], ids[1]);
        if (yesTokenId != 0) return (yesTokenId, noTokenId);
        IConditionalTokens shares = IConditionalTokens(conditionalTokens);
        if (shares.getOutcomeSlotCount(marketId) != 2) revert NotBinaryCondition(marketId);
        yesTokenId = shares.getPositionId(collateral, shares.getCollectionId(0, marketId, 1));
        noTokenId = shares.getPositionId(collateral, shares.getCollectionId(0, marketId, 2));
        (ids[0], ids[1]) = (yesTokenId, noTokenId);
        // Here and not in the constructor, which may run before the stablecoin exists; only splits draw on it.
        SafeTransferLib.safeApproveWithRetry(collateral, conditionalTokens, type(uint256).max);
        emit MarketRegistered(marketId, yesTokenId, noTokenId);
    }

    function pause() external onlyOwner {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external onlyOwner {
        paused = false;
        emit Unpaused(msg.sender);
    }

    // ---------------------------------------------------------------- reading

    function hashOrder(Order calldata order) public view returns (bytes32) {
        return OrderHash.digestOf(order, _domainSeparator());
    }

    function filled(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64) {
        return uint64(FilledAmounts.amountIn(_filled[FilledAmounts.keyOf(trader, marketId, nonce)], nonce));
    }

    function cancelEffectiveAfter(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64) {
        return _cancels[trader][marketId][nonce];
    }

    function tokenIdOf(bytes32 marketId, uint256 outcome) external view returns (uint256) {
        return _tokenIds[marketId][outcome];
    }

    function costOf(uint64 price, uint64 size) external pure returns (uint256) {
        return CostMath.costOf(price, size);
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("PresageSettlement", "1");
    }
}
