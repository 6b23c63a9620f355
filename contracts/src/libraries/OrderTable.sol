// The orders of one batch: each is unpacked and verified when a fill first refers to it, and kept in memory for later fills.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeTerms} from "./FeeMath.sol";
import {OrderChecks, OrderRef, OrderWords} from "./OrderWords.sol";

/// @param markets where the list of market ids begins in calldata
/// @param packed where the packed orders begin in calldata
/// @param unpacked one for each packed order; zero until a fill refers to it
/// @param tillKey the order whose wallet the till serves (see TakerTill and Fill.tillKey); zero until the first fill that has one
/// @param tillAmount what that wallet has paid ahead, for fills or for their fees; what it is owed, if its order sells to deposits
/// @param tillFees the fees of the market in which that order is
/// @param feeNote of the fill that is being settled, see TakerTill; zero if its market has no fees
/// @param fees what fills have left here for the treasury
/// @param tokenKey the market and outcome of the token that was looked up last, see hasToken
/// @param tokenId its id; zero until the first was looked up
/// @param tokenFees the fees of its market
struct OrderTable {
    OrderChecks checks;
    uint256 markets;
    uint256 marketCount;
    uint256 packed;
    OrderRef[] unpacked;
    uint256 tillKey;
    address tillWallet;
    uint256 tillAmount;
    FeeTerms tillFees;
    uint256 feeNote;
    uint256 fees;
    uint256 tokenKey;
    uint256 tokenId;
    FeeTerms tokenFees;
}

using OrderTables for OrderTable global;

/// @dev One pointer, where calldata arrays would put five words on the stack of every function that looks up an order.
library OrderTables {
    /// @dev The caller has checked that `orders` holds whole orders only. A function that returned a table would fill the memory of
    /// two: the compiler clears what is to be returned before it is built.
    function open(OrderTable memory table, bytes32[] calldata marketIds, bytes calldata orders) internal pure {
        uint256 markets;
        uint256 packed;
        assembly ("memory-safe") {
            markets := marketIds.offset
            packed := orders.offset
        }
        (table.markets, table.marketCount, table.packed) = (markets, marketIds.length, packed);
        table.unpacked = new OrderRef[](orders.length / OrderWords.PACKED_LENGTH);
        (table.checks.ordersStart, table.checks.ordersLength) = (packed, orders.length);
    }

    /// @notice Whether the token of this order's market and outcome is the one that was looked up last.
    function hasToken(OrderTable memory table, OrderRef order) internal pure returns (bool) {
        return table.tokenKey == _tokenKeyOf(order) && table.tokenId != 0;
    }

    function keepToken(OrderTable memory table, OrderRef order, uint256 tokenId, FeeTerms fees) internal pure {
        (table.tokenKey, table.tokenId, table.tokenFees) = (_tokenKeyOf(order), tokenId, fees);
    }

    /// @dev Ids of markets are hashes: no two differ in the last bit alone.
    function _tokenKeyOf(OrderRef order) private pure returns (uint256) {
        return uint256(order.marketId()) ^ order.outcome();
    }

    /// @notice The order at this index; zero if the batch does not contain it or its market.
    function orderAt(OrderTable memory table, uint256 index) internal view returns (OrderRef order) {
        OrderRef[] memory unpacked = table.unpacked;
        if (index >= unpacked.length) return order;
        uint256 place;
        // The compiler would check the index again, twice.
        assembly ("memory-safe") {
            place := add(add(unpacked, 0x20), shl(5, index))
            order := mload(place)
        }
        if (!order.isMissing()) return order;
        order = _unpack(table, index);
        assembly ("memory-safe") {
            mstore(place, order)
        }
    }

    function _unpack(OrderTable memory table, uint256 index) private view returns (OrderRef) {
        uint256 packed = table.packed;
        unchecked {
            packed += index * OrderWords.PACKED_LENGTH;
        }
        uint256 marketIndex = OrderWords.marketIndexAt(packed);
        if (marketIndex >= table.marketCount) return OrderRef.wrap(0);
        uint256 markets = table.markets;
        bytes32 marketId;
        assembly ("memory-safe") {
            marketId := calldataload(add(markets, shl(5, marketIndex)))
        }
        return OrderWords.unpack(packed, marketId, table.checks);
    }
}
