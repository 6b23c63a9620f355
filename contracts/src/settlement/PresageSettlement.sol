// Settles matched orders: verifies both signatures and transfers stablecoin and shares, fill by fill.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../interfaces/IPresageSettlement.sol";
import {CostMath} from "../libraries/CostMath.sol";
import {FillMoney} from "../libraries/FeeMath.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {FilledAmounts} from "../libraries/FilledAmounts.sol";
import {Fill, FillWords} from "../libraries/FillWords.sol";
import {OrderPairs} from "../libraries/OrderPairs.sol";
import {OrderTable} from "../libraries/OrderTable.sol";
import {OrderChecks, OrderRef, OrderWords} from "../libraries/OrderWords.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";
import {SettledFills, SettledFillsLibrary} from "../libraries/SettledFills.sol";
import {WalletSignatures} from "../libraries/WalletSignatures.sol";
import {FillExecutor} from "./FillExecutor.sol";
import {MarketRegister} from "./MarketRegister.sol";
import {SettlementGrace} from "./SettlementGrace.sol";
import {TraderControls} from "./TraderControls.sol";

contract PresageSettlement is FillExecutor, TraderControls {
    uint256 public constant VERSION = 6;
    /// @dev The most gas one fill can use: two contract wallets verifying signatures, the checks and counters, a till that is closed
    /// and another that is filled, the transfers, and the gas reserved to record a failure and to end the batch.
    uint256 public constant MIN_FILL_GAS = 2 * (WalletSignatures.GAS + 10_000) + 100_000 + 2 * TILL_GAS + CALL_GAS;

    /// @dev Calls no other contract, so the tokens may be deployed after the settlement.
    constructor(address initialOwner, address collateral_, address conditionalTokens_, uint256 settlementGrace)
        MarketRegister(collateral_, conditionalTokens_)
        OwnedRoles(initialOwner)
        SettlementGrace(settlementGrace)
    {}

    // ---------------------------------------------------------------- settling

    function settleBatch(bytes32[] calldata marketIds, bytes calldata orders, bytes calldata fills)
        external
        returns (bytes memory codes)
    {
        uint256 haltFilter = _requireOperator();
        if (orders.length % OrderWords.PACKED_LENGTH != 0) revert MalformedOrders(orders.length);
        if (fills.length % FillWords.PACKED_LENGTH != 0) revert MalformedFills(fills.length);
        uint256 count = fills.length / FillWords.PACKED_LENGTH;
        if (count > MAX_FILLS) revert TooManyFills(count);
        OrderTable memory table;
        table.open(marketIds, orders);
        _open(table.checks, haltFilter);
        SettledFills settled = SettledFillsLibrary.open(count);
        codes = new bytes(count);
        uint256 i;
        for (; i < count; ++i) {
            if (gasleft() < MIN_FILL_GAS) break;
            Fill fill = FillWords.fillAt(fills, i);
            if (fill.namesLedger()) fill = _useTill(table, fill);
            uint256 code = _attemptFill(table, fill, settled);
            if (code == FillCodes.SETTLED) {
                if (fill.isByTill()) _noteInTill(table, fill, settled.lastAmounts());
                continue;
            }
            if (code == FillCodes.NOT_ATTEMPTED) break;
            codes[i] = bytes1(uint8(code));
            _reportFailure(table, fill, i, code);
        }
        if (table.tillAmount != 0) _closeTill(table);
        if (table.fees != 0) _payTreasury(table.fees);
        settled.tell();
        if (i == count) return codes;
        emit FillsNotAttempted(i);
        for (; i < count; ++i) codes[i] = bytes1(FillCodes.NOT_ATTEMPTED);
    }

    function _open(OrderChecks memory checks, uint256 haltFilter) private view {
        checks.prefix = 0x1901;
        checks.domainSeparator = _domainSeparator();
        unchecked {
            if (block.timestamp > SETTLEMENT_GRACE) checks.oldestExpiration = block.timestamp - SETTLEMENT_GRACE;
        }
        checks.haltFilter = haltFilter;
    }

    function _attemptFill(OrderTable memory table, Fill fill, SettledFills settled) private returns (uint256 code) {
        OrderRef buy = table.orderAt(fill.buyIndex());
        OrderRef sell = table.orderAt(fill.sellIndex());
        if (!OrderPairs.isFit(buy, sell, fill)) return OrderPairs.whyUnfit(table, buy, sell, fill);
        uint256 amounts;
        (code, amounts) = _fillPair(table, buy, sell, fill);
        if (code == FillCodes.SETTLED) settled.add(buy.digest(), sell.digest(), amounts);
    }

    function _fillPair(OrderTable memory table, OrderRef buy, OrderRef sell, Fill fill)
        private
        returns (uint256 code, uint256 amounts)
    {
        if (!_findToken(table, buy)) return (_whyNotTradable(buy.marketId()), 0);

        // The counters are written before any transfer, and one after the other, since both may be in the same storage word.
        uint256 size = fill.size();
        uint256 buyBefore;
        (code, buyBefore) = _count(buy, size);
        if (code != FillCodes.SETTLED) return (code, 0);
        uint256 sellBefore;
        (code, sellBefore) = _count(sell, size);
        if (code != FillCodes.SETTLED) {
            _restore(buy, buyBefore, size);
            return (code + FillCodes.SELLER_OFFSET, 0);
        }

        uint256 cost = fill.cost();
        // What is charged is noted in memory: another variable would make every fill dearer.
        FillMoney moved = table.tokenFees.areNone() ? FillMoney.wrap(cost) : _chargeFee(table, fill, cost);
        (code, amounts) =
            _tryExecute(
                buy.trader(), sell.trader(), table.tokenId, size, moved, buy.outcome() | fill.flags(), buy.marketId()
            );
        if (code != FillCodes.SETTLED) {
            _restore(sell, sellBefore, size);
            _restore(buy, buyBefore, size);
        }
        amounts |= fill.priceAndSize() << 128 | cost << 64;
        if (table.feeNote != 0) amounts |= _noteFee(table, code == FillCodes.SETTLED);
    }

    function _reportFailure(OrderTable memory table, Fill fill, uint256 fillIndex, uint256 code) private {
        bytes32 buyHash = table.orderAt(fill.buyIndex()).digestOrZero();
        bytes32 sellHash = table.orderAt(fill.sellIndex()).digestOrZero();
        emit FillFailed(buyHash, sellHash, fillIndex, uint8(code));
    }

    // ---------------------------------------------------------------- counting

    /// @dev Counts the fill, or returns one of the buyer's codes. The common case takes one comparison, since a lane exceeds
    /// MAX_IN_LANE once a cancel was requested or the amount is in a word of its own.
    /// @return code SETTLED, or what stands against it
    /// @return before the word of the order's lane as it was
    function _count(OrderRef order, uint256 size) private returns (uint256 code, uint256 before) {
        uint256 nonce = order.nonce();
        bytes32 slot = FilledAmounts.slotOf(order.trader(), order.marketId(), nonce);
        before = FilledAmounts.load(slot);
        uint256 limit = order.size();
        if (limit > FilledAmounts.MAX_IN_LANE) limit = FilledAmounts.MAX_IN_LANE;
        unchecked {
            if (FilledAmounts.laneOf(before, nonce) + size <= limit) {
                FilledAmounts.store(slot, FilledAmounts.plus(before, nonce, size));
                return (FillCodes.SETTLED, before);
            }
        }
        code = _countRare(order, slot, before, size);
    }

    function _countRare(OrderRef order, bytes32 slot, uint256 before, uint256 size) private returns (uint256) {
        (address trader, bytes32 marketId, uint256 nonce) = (order.trader(), order.marketId(), order.nonce());
        uint256 amount = FilledAmounts.amountOf(before, trader, marketId, nonce) + size;
        if (amount > order.size()) return FillCodes.BUYER_OVERFILLED;
        if (FilledAmounts.isCancelRequested(before, nonce)) {
            if (block.timestamp > cancelEffectiveAfter(trader, marketId, uint64(nonce))) return FillCodes.BUYER_CANCELLED;
        }
        FilledAmounts.store(slot, FilledAmounts.withAmount(before, trader, marketId, nonce, amount));
        return FillCodes.SETTLED;
    }

    /// @dev Takes the fill back from both places where an amount may be.
    function _restore(OrderRef order, uint256 before, uint256 size) private {
        (address trader, bytes32 marketId, uint256 nonce) = (order.trader(), order.marketId(), order.nonce());
        bytes32 slot = FilledAmounts.slotOf(trader, marketId, nonce);
        uint256 word = FilledAmounts.load(slot);
        uint256 amount = FilledAmounts.amountOf(word, trader, marketId, nonce) - size;
        FilledAmounts.withAmount(word, trader, marketId, nonce, amount);
        FilledAmounts.store(slot, before);
    }

    // ---------------------------------------------------------------- reading

    function hashOrder(Order calldata order) external view returns (bytes32) {
        return _hashTypedData(keccak256(abi.encode(OrderWords.ORDER_TYPEHASH, order)));
    }

    function filled(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64) {
        uint256 word = FilledAmounts.load(FilledAmounts.slotOf(trader, marketId, nonce));
        return uint64(FilledAmounts.amountOf(word, trader, marketId, nonce));
    }

    function costOf(uint64 price, uint64 size) external pure returns (uint256) {
        return CostMath.costOf(price, size);
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("PresageSettlement", "1");
    }
}
