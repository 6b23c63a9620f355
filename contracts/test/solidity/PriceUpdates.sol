// Signed price updates as the feed makes them, and the same for the peer's mock.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PythStructs} from "@pythnetwork/pyth-sdk-solidity/PythStructs.sol";
import {vm} from "./Vm.sol";

struct Update {
    bytes32 feedId;
    int64 price;
    uint64 conf;
    int32 expo;
    uint64 publishTime;
    uint64 prevPublishTime;
}

library PriceUpdates {
    uint256 internal constant FEED_KEY = 0xfeed;

    function signed(Update memory update) internal pure returns (bytes memory) {
        return signedBy(update, FEED_KEY);
    }

    function signedBy(Update memory update, uint256 key) internal pure returns (bytes memory) {
        bytes memory message = abi.encodePacked(
            bytes4("PPU1"),
            update.feedId,
            update.price,
            update.conf,
            update.expo,
            update.publishTime,
            update.prevPublishTime
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(message));
        return abi.encodePacked(message, r, s, v);
    }

    function forMock(Update memory update) internal pure returns (bytes memory) {
        PythStructs.Price memory price =
            PythStructs.Price(update.price, update.conf, update.expo, update.publishTime);
        return abi.encode(PythStructs.PriceFeed(update.feedId, price, price), update.prevPublishTime);
    }

    function alone(bytes memory payload) internal pure returns (bytes[] memory list) {
        list = new bytes[](1);
        list[0] = payload;
    }
}
