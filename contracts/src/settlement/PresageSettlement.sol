// Settles matched orders: verifies both signatures, moves stablecoin and shares, fill by fill.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {Order} from "../interfaces/IPresageSettlement.sol";
import {CostMath} from "../libraries/CostMath.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {FilledAmounts} from "../libraries/FilledAmounts.sol";
import {Fill, FillWords} from "../libraries/FillWords.sol";
import {OrderTable, OrderTables} from "../libraries/OrderTable.sol";
import {OrderRef, OrderWords} from "../libraries/OrderWords.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";
import {FillExecutor} from "./FillExecutor.sol";
import {EIP712} from "solady/src/utils/EIP712.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

contract PresageSettlement is FillExecutor, OwnedRoles, EIP712 {
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    uint256 public constant MAX_FILLS = 100;
    /// @dev What one fill may burn at most, and what is kept back to record its failure and to end the batch.
    uint256 public constant MIN_FILL_GAS = FILL_GAS + 40_000;
    /// @dev A longer grace would let an expired order hang over its trader for too long.
    uint256 private constant MAX_GRACE = 1 days;

    uint256 public immutable SETTLEMENT_GRACE;

    bool public paused;
    mapping(bytes32 marketId => uint256[2]) private _tokenIds;
    mapping(address trader => mapping(bytes32 marketId => mapping(uint256 nonce => uint64))) private _cancels;

    /// @dev Nothing is called here, so the tokens may be deployed after the settlement.
    constructor(address initialOwner, address collateral_, address conditionalTokens_, uint256 settlementGrace)
        FillExecutor(collateral_, conditionalTokens_)
        OwnedRoles(initialOwner)
    {
        if (settlementGrace > MAX_GRACE) revert GraceTooLong(settlementGrace);
        SETTLEMENT_GRACE = settlementGrace;
    }

    // ---------------------------------------------------------------- settling

    function settleBatch(bytes32[] calldata marketIds, bytes calldata orders, bytes calldata fills)
        external
        onlyRole(OPERATOR_ROLE)
        returns (bytes memory codes)
    {
        if (paused) revert SettlementPaused();
        if (orders.length % OrderWords.PACKED_LENGTH != 0) revert MalformedOrders(orders.length);
        if (fills.length % FillWords.PACKED_LENGTH != 0) revert MalformedFills(fills.length);
        uint256 count = fills.length / FillWords.PACKED_LENGTH;
        if (count > MAX_FILLS) revert TooManyFills(count);
        OrderTable memory table = OrderTables.openTable(marketIds, orders, _domainSeparator());
        codes = new bytes(count);
        for (uint256 i; i < count; ++i) {
            if (gasleft() < MIN_FILL_GAS) {
                emit FillsNotAttempted(i);
                for (; i < count; ++i) codes[i] = bytes1(FillCodes.NOT_ATTEMPTED);
                return codes;
            }
            Fill fill = FillWords.fillAt(fills, i);
            uint256 code = _attemptFill(table, fill);
            if (code == FillCodes.SETTLED) continue;
            codes[i] = bytes1(uint8(code));
            _reportFailure(table, fill, i, code);
        }
    }

    function _attemptFill(OrderTable memory table, Fill fill) private returns (uint256 code) {
        OrderRef buy = table.orderAt(fill.buyIndex());
        if (buy.isMissing()) return _codeOfMissing(table, fill.buyIndex());
        if (!buy.isSigned()) return FillCodes.BUYER_SIGNATURE;
        OrderRef sell = table.orderAt(fill.sellIndex());
        if (sell.isMissing()) return _codeOfMissing(table, fill.sellIndex());
        if (!sell.isSigned()) return FillCodes.SELLER_SIGNATURE;
        uint256 amounts;
        (code, amounts) = _fillPair(buy, sell, fill.price(), fill.size());
        if (code == FillCodes.SETTLED) emit FillSettled(buy.digest(), sell.digest(), amounts);
    }

    function _fillPair(OrderRef buy, OrderRef sell, uint256 price, uint256 size)
        private
        returns (uint256 code, uint256 amounts)
    {
        code = _checkPair(buy, sell, price, size);
        if (code != FillCodes.SETTLED) return (code, 0);
        uint256 tokenId = _tokenIds[buy.marketId()][buy.outcome()];
        if (tokenId == 0) return (FillCodes.MARKET_UNKNOWN, 0);

        // The counters are written before anything moves, one after the other: they may share a word.
        bytes32 buySlot = FilledAmounts.slotOf(buy.trader(), buy.marketId(), buy.nonce());
        uint256 buyWord = FilledAmounts.load(buySlot);
        code = _checkRoom(buy, buyWord, size);
        if (code != FillCodes.SETTLED) return (code, 0);
        FilledAmounts.store(buySlot, FilledAmounts.plus(buyWord, buy.nonce(), size));

        bytes32 sellSlot = FilledAmounts.slotOf(sell.trader(), sell.marketId(), sell.nonce());
        uint256 sellWord = FilledAmounts.load(sellSlot);
        code = _checkRoom(sell, sellWord, size);
        if (code != FillCodes.SETTLED) {
            FilledAmounts.store(buySlot, buyWord);
            return (code + FillCodes.SELLER_OFFSET, 0);
        }
        FilledAmounts.store(sellSlot, FilledAmounts.plus(sellWord, sell.nonce(), size));

        uint256 cost = CostMath.costOf(price, size);
        (code, amounts) =
            _tryExecute(buy.trader(), sell.trader(), tokenId, size, cost, buy.outcome(), buy.marketId());
        if (code != FillCodes.SETTLED) {
            FilledAmounts.store(sellSlot, sellWord);
            FilledAmounts.store(buySlot, buyWord);
        }
        amounts |= price << 192 | size << 128 | cost << 64;
    }

    function _reportFailure(OrderTable memory table, Fill fill, uint256 fillIndex, uint256 code) private {
        bytes32 buyHash = table.orderAt(fill.buyIndex()).digestOrZero();
        bytes32 sellHash = table.orderAt(fill.sellIndex()).digestOrZero();
        emit FillFailed(buyHash, sellHash, fillIndex, uint8(code));
    }

    function _codeOfMissing(OrderTable memory table, uint256 index) private pure returns (uint256) {
        return index < table.unpacked.length ? FillCodes.MARKET_UNKNOWN : FillCodes.UNKNOWN_ORDER;
    }

    // ---------------------------------------------------------------- checking

    function _checkPair(OrderRef buy, OrderRef sell, uint256 price, uint256 size)
        private
        view
        returns (uint256)
    {
        // Differences gathered by OR: one jump where a chain of conditions would take four.
        uint256 differences = buy.side() | (sell.side() ^ 1) | (buy.outcome() ^ sell.outcome());
        if (differences | uint256(buy.marketId() ^ sell.marketId()) != 0) return FillCodes.MISMATCH;
        if (size == 0) return FillCodes.MISMATCH;
        if (price > buy.price()) return FillCodes.PRICE_OUTSIDE_LIMITS;
        if (price < sell.price()) return FillCodes.PRICE_OUTSIDE_LIMITS;
        unchecked {
            // One comparison for both ends: zero wraps round to the largest number.
            if (price - 1 >= CostMath.PRICE_SCALE - 1) return FillCodes.PRICE_OUTSIDE_LIMITS;
        }
        unchecked {
            // Neither sum can overflow: an expiration has 64 bits, and the constructor bounds the grace.
            if (block.timestamp > buy.expiration() + SETTLEMENT_GRACE) return FillCodes.BUYER_EXPIRED;
            if (block.timestamp > sell.expiration() + SETTLEMENT_GRACE) return FillCodes.SELLER_EXPIRED;
        }
        return FillCodes.SETTLED;
    }

    /// @dev Answers in the buyer's codes.
    function _checkRoom(OrderRef order, uint256 word, uint256 size) private view returns (uint256) {
        uint256 nonce = order.nonce();
        unchecked {
            uint256 total = FilledAmounts.amountIn(word, nonce) + size;
            if (total > order.size()) return FillCodes.BUYER_OVERFILLED;
            if (total > FilledAmounts.MAX_AMOUNT) return FillCodes.BUYER_OVERFILLED;
        }
        if (FilledAmounts.isFlagged(word, nonce)) {
            if (block.timestamp > _cancels[order.trader()][order.marketId()][nonce]) return FillCodes.BUYER_CANCELLED;
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
        bytes32 slot = FilledAmounts.slotOf(msg.sender, marketId, nonce);
        FilledAmounts.store(slot, FilledAmounts.withFlag(FilledAmounts.load(slot), nonce));
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

    function hashOrder(Order calldata order) external view returns (bytes32) {
        return _hashTypedData(keccak256(abi.encode(OrderWords.ORDER_TYPEHASH, order)));
    }

    function filled(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64) {
        uint256 word = FilledAmounts.load(FilledAmounts.slotOf(trader, marketId, nonce));
        return uint64(FilledAmounts.amountIn(word, nonce));
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
