// What a settlement owes its traders, written to be believed: a plain model that foretells every code and every balance of a batch.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {HostileStablecoin, Mood} from "./HostileStablecoin.sol";
import {Purses} from "./Purses.sol";

/// @dev Knows only what was signed, what the handler did and when; never asks the settlement.
abstract contract SettlementModel is Purses {
    struct PlannedFill {
        uint256 buy;
        uint256 sell;
        uint64 price;
        uint64 size;
        bool sellerTakes;
    }

    struct Fees {
        uint256 rateBps;
        uint256 shareBps;
    }

    uint256 internal constant SHORT_GRACE = 300;
    uint256 internal constant RESULT_GRACE = 120;

    HostileStablecoin internal token;
    PlannedFill[] internal planned;
    bool[] internal isForged;

    mapping(bytes32 order => uint256) public settledOf;
    mapping(address trader => uint256) internal depositedOf;
    mapping(bytes32 order => uint256) internal cancelledFrom;
    mapping(address trader => uint256) internal haltedFrom;
    mapping(bytes32 marketId => uint256) internal resolvedAt;
    /// @dev Expiration of a market and the grace after it.
    mapping(bytes32 marketId => uint256) internal endOf;
    mapping(bytes32 marketId => Fees) internal feesOf;
    /// @dev All fees of takers without what went back to makers.
    uint256 public treasuryIncome;

    mapping(address person => uint256) private _money;
    mapping(address person => uint256) private _allowed;
    mapping(address person => mapping(uint256 id => uint256)) private _shares;

    function keyOf(address trader, bytes32 id, uint256 nonce) internal pure returns (bytes32) {
        return keccak256(abi.encode(trader, id, nonce));
    }

    /// @dev Results come from markets, never from the settlement: whoever moves time or markets calls this.
    function noteResults() internal {
        for (uint256 i; i < marketIds.length; ++i) {
            bool isResolved = shares.payoutDenominator(marketIds[i]) != 0;
            if (isResolved && resolvedAt[marketIds[i]] == 0) resolvedAt[marketIds[i]] = block.timestamp;
        }
    }

    function loadModel() internal {
        for (uint256 key = 1; key <= TRADERS + 1; ++key) {
            address person = addressOf(key);
            _money[person] = usd.balanceOf(person);
            _allowed[person] = usd.allowance(person, address(settlement));
            for (uint256 i; i < 2 * MARKETS; ++i) {
                _shares[person][idOf(i / 2, i % 2)] = shares.balanceOf(person, idOf(i / 2, i % 2));
            }
        }
    }

    function requireModel() internal view {
        for (uint256 key = 1; key <= TRADERS + 1; ++key) {
            address person = addressOf(key);
            assertEq(usd.balanceOf(person), _money[person], "stablecoin of a trader");
            assertEq(usd.allowance(person, address(settlement)), _allowed[person], "allowance of a trader");
            for (uint256 i; i < 2 * MARKETS; ++i) {
                uint256 id = idOf(i / 2, i % 2);
                assertEq(shares.balanceOf(person, id), _shares[person][id], "shares of a trader");
            }
        }
        requireIncome();
    }

    /// @dev In its wallet, or in its deposit where the token refused it.
    function requireIncome() public view {
        (uint256 deposited,) = settlement.ledgerOf(TREASURY);
        assertEq(usd.balanceOf(TREASURY) + deposited, treasuryIncome, "income of the treasury");
    }

    // ---------------------------------------------------------------- one fill

    function foretell(PlannedFill memory fill) internal returns (uint8 code) {
        uint256 count = batchOrders.length;
        if (fill.buy >= count) return FillCodes.UNKNOWN_ORDER;
        code = flawOf(fill.buy);
        if (code != 0) return code;
        if (fill.sell >= count) return FillCodes.UNKNOWN_ORDER;
        code = flawOf(fill.sell);
        if (code != 0) return code + 0x10;
        Order memory buy = batchOrders[fill.buy];
        Order memory sell = batchOrders[fill.sell];
        if (buy.side != BUY || sell.side != SELL || buy.outcome != sell.outcome) return FillCodes.MISMATCH;
        if (buy.marketId != sell.marketId || fill.size == 0) return FillCodes.MISMATCH;
        bool isWithin = fill.price <= buy.price && fill.price >= sell.price && fill.price > 0 && fill.price < 1e6;
        if (!isWithin) return FillCodes.PRICE_OUTSIDE_LIMITS;
        uint256 result = resolvedAt[buy.marketId];
        bool isOver = block.timestamp > endOf[buy.marketId];
        if (result != 0 && (isOver || block.timestamp > result + RESULT_GRACE)) return FillCodes.MARKET_RESOLVED;
        if (isOver) return FillCodes.MARKET_ENDED;
        code = roomOf(buy, fill.size);
        if (code != 0) return code;
        code = roomOf(sell, fill.size + (sameCounter(buy, sell) ? fill.size : 0));
        if (code != 0) return code + 0x10;
        code = foretellMoves(fill, buy, sell);
        if (code != 0) return code;
        settledOf[keyOf(buy.trader, buy.marketId, buy.nonce)] += fill.size;
        settledOf[keyOf(sell.trader, sell.marketId, sell.nonce)] += fill.size;
    }

    function sameCounter(Order memory buy, Order memory sell) private pure returns (bool) {
        return buy.trader == sell.trader && buy.nonce == sell.nonce;
    }

    function flawOf(uint256 place) private view returns (uint8) {
        Order memory order = batchOrders[place];
        if (isForged[place]) return FillCodes.BUYER_SIGNATURE;
        if (block.timestamp > order.expiration + SHORT_GRACE) return FillCodes.BUYER_EXPIRED;
        uint256 halt = haltedFrom[order.trader];
        return halt != 0 && block.timestamp > halt ? FillCodes.BUYER_HALTED : 0;
    }

    function roomOf(Order memory order, uint256 size) private view returns (uint8) {
        bytes32 key = keyOf(order.trader, order.marketId, order.nonce);
        if (settledOf[key] + size > order.size) return FillCodes.BUYER_OVERFILLED;
        uint256 cancel = cancelledFrom[key];
        return cancel != 0 && block.timestamp > cancel ? FillCodes.BUYER_CANCELLED : 0;
    }

    // ---------------------------------------------------------------- its moves

    function foretellMoves(PlannedFill memory fill, Order memory buy, Order memory sell) private returns (uint8 code) {
        (uint256 pays, uint256 gets) = duesOf(fill, buy.marketId);
        uint256 place = placeOf(buy.marketId);
        uint256 minted = fill.size - heldBy(sell.trader, idOf(place, buy.outcome), fill.size);
        uint256[4] memory earlier =
            [_money[buy.trader], _money[sell.trader], _allowed[buy.trader], _allowed[sell.trader]];
        if (minted == 0 && pays == gets) {
            code = pull(buy.trader, sell.trader, pays, FillCodes.BUYER_FUNDS);
        } else {
            code = pull(buy.trader, address(settlement), pays, FillCodes.BUYER_FUNDS);
            if (code == 0 && gets > minted) code = payOut(sell.trader, gets - minted);
            if (code == 0 && gets < minted) code = pull(sell.trader, address(settlement), minted - gets, FillCodes.SELLER_FUNDS);
        }
        // A split that gets less than it must hand on fails, and with it the fill.
        if (code == 0 && minted != 0 && token.mood() == Mood.TakesFee) code = FillCodes.TOKEN_FAULT;
        if (code != 0) {
            (_money[buy.trader], _money[sell.trader]) = (earlier[0], earlier[1]);
            (_allowed[buy.trader], _allowed[sell.trader]) = (earlier[2], earlier[3]);
            return code;
        }
        treasuryIncome += pays - gets;
        _shares[sell.trader][idOf(place, buy.outcome)] -= fill.size - minted;
        _shares[buy.trader][idOf(place, buy.outcome)] += fill.size;
        _shares[sell.trader][idOf(place, 1 - buy.outcome)] += minted;
    }

    /// @dev Who takes pays the fee; who makes gets a part of it back; both with their part of the cost.
    function duesOf(PlannedFill memory fill, bytes32 id) internal view returns (uint256 pays, uint256 gets) {
        uint256 cost = (uint256(fill.price) * fill.size + 999_999) / 1e6;
        uint256 product = feesOf[id].rateBps * fill.size * fill.price * (1e6 - fill.price);
        uint256 fee = product / 1e16 + (product % 1e16 == 0 ? 0 : 1);
        uint256 rebate = fee * feesOf[id].shareBps / 10_000;
        return fill.sellerTakes ? (cost - rebate, cost - fee) : (cost + fee, cost + rebate);
    }

    function payOut(address to, uint256 amount) private returns (uint8) {
        if (token.isBlocked(to)) return FillCodes.SELLER_BLOCKED;
        _money[to] += amount;
        return 0;
    }

    function placeOf(bytes32 id) private view returns (uint256 place) {
        while (marketIds[place] != id) ++place;
    }

    function heldBy(address seller, uint256 id, uint256 size) private view returns (uint256 held) {
        if (!shares.isApprovedForAll(seller, address(settlement))) return 0;
        held = _shares[seller][id];
        if (held > size) held = size;
    }

    function pull(address from, address to, uint256 amount, uint8 code) private returns (uint8) {
        Mood mood = token.mood();
        if (mood == Mood.BurnsGas) return FillCodes.OUT_OF_GAS;
        bool couldDeposit = depositedOf[from] >= amount;
        if (_money[from] < amount || _allowed[from] < amount) return couldDeposit ? FillCodes.LEDGER_NOT_NAMED : code;
        if (mood == Mood.Paused || mood == Mood.AnswersFalse) return FillCodes.TOKEN_FAULT;
        if (token.isBlocked(from)) return couldDeposit ? FillCodes.LEDGER_NOT_NAMED : code & 0xf0 | 0x07;
        if (token.isBlocked(to)) return FillCodes.SELLER_BLOCKED;
        uint256 moved = mood == Mood.TakesFee ? amount - token.FEE() : amount;
        _money[from] -= amount;
        _money[to] += moved;
        if (_allowed[from] != type(uint256).max) _allowed[from] -= moved;
        return 0;
    }
}
