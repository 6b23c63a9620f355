// Packs orders and fills as the interface tells operators to: a plain restatement, to hold the libraries against.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../../src/interfaces/IPresageSettlement.sol";

/// @dev An EIP-2098 compact signature.
struct Signature {
    bytes32 r;
    bytes32 vs;
}

library BatchPacking {
    /// @dev One place for every market, in the order in which the batch names them.
    function packOrders(Order[] memory orders, Signature[] memory signatures)
        internal
        pure
        returns (bytes32[] memory marketIds, bytes memory packed)
    {
        marketIds = new bytes32[](orders.length);
        uint256 markets;
        for (uint256 i; i < orders.length; ++i) {
            uint256 place;
            while (place < markets && marketIds[place] != orders[i].marketId) ++place;
            if (place == markets) marketIds[markets++] = orders[i].marketId;
            packed = bytes.concat(packed, packOrder(orders[i], uint8(place), signatures[i]));
        }
        assembly ("memory-safe") {
            mstore(marketIds, markets)
        }
    }

    /// @dev What has no room (a third outcome, a fee recipient) is left out, which is all that an operator could do with it.
    function packOrder(Order memory order, uint8 marketIndex, Signature memory signature)
        internal
        pure
        returns (bytes memory)
    {
        require(order.price < 1 << 22, "the price does not fit");
        uint24 terms = uint24(order.side % 2) * 2 ** 23 + uint24(order.outcome % 2) * 2 ** 22 + uint24(order.price);
        bytes memory head = abi.encodePacked(order.trader, order.nonce, marketIndex, terms);
        return bytes.concat(head, abi.encodePacked(order.size, order.expiration, signature.r, signature.vs));
    }

    function packFill(uint256 buyIndex, uint256 sellIndex, uint64 price, uint64 size)
        internal
        pure
        returns (bytes memory)
    {
        require(buyIndex < 1 << 8 && sellIndex < 1 << 8 && price < 1 << 24, "the fill does not fit");
        return abi.encodePacked(uint8(buyIndex), uint8(sellIndex), uint24(price), size);
    }
}
