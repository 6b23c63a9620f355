// A rich buyer and a rich seller in one market.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementFixture} from "./SettlementFixture.sol";

abstract contract TwoTraders is SettlementFixture {
    uint256 internal constant BUYER = 11;
    uint256 internal constant SELLER = 12;
    address internal buyer;
    address internal seller;

    function setUp() public override {
        super.setUp();
        buyer = openTrader(BUYER, RICH, 0);
        seller = openTrader(SELLER, RICH, 0);
    }

    function putPair(uint64 buyPrice, uint64 sellPrice, uint64 size) internal {
        put(BUYER, BUY, buyPrice, size, 0);
        put(SELLER, SELL, sellPrice, size, 0);
    }

    function putTrade(uint64 price, uint64 size) internal {
        putPair(price, price, size);
        putFill(0, 1, price, size);
    }
}
