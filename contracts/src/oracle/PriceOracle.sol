// Replaces Pyth where there is none: updates signed by one feed key, parsed and proved to be the first as Pyth does.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPriceOracle, Price, PriceFeed} from "../interfaces/IPriceOracle.sol";

/// @dev An update is 137 bytes: "PPU1", bytes32 feed id, int64 price, uint64 conf, int32 expo, uint64 publishTime,
/// uint64 prevPublishTime, then r, s, v over the Keccak hash of the 72 bytes before them.
contract PriceOracle is IPriceOracle {
    error FeeNotTaken();
    error ZeroSigner();

    bytes4 private constant MAGIC = "PPU1";
    uint256 private constant MESSAGE_LENGTH = 72;
    uint256 private constant UPDATE_LENGTH = MESSAGE_LENGTH + 65;
    /// @dev Half the order of secp256k1: of the two valid signatures of a message only the one with the low s is accepted, as in
    /// the other contracts.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    address public immutable feedSigner;

    constructor(address feedSigner_) {
        if (feedSigner_ == address(0)) revert ZeroSigner();
        feedSigner = feedSigner_;
    }

    function getUpdateFee(bytes[] calldata) external pure returns (uint256) {
        return 0;
    }

    function parsePriceFeedUpdatesUnique(
        bytes[] calldata updateData,
        bytes32[] calldata priceIds,
        uint64 minPublishTime,
        uint64 maxPublishTime
    ) external payable returns (PriceFeed[] memory priceFeeds) {
        // Nobody could withdraw it.
        if (msg.value != 0) revert FeeNotTaken();
        for (uint256 i; i < updateData.length; ++i) {
            _verify(updateData[i]);
        }
        priceFeeds = new PriceFeed[](priceIds.length);
        for (uint256 i; i < priceIds.length; ++i) {
            priceFeeds[i] = _find(updateData, priceIds[i], minPublishTime, maxPublishTime);
        }
    }

    function _verify(bytes calldata update) private view {
        if (update.length != UPDATE_LENGTH || bytes4(update[:4]) != MAGIC) revert InvalidUpdateData();
        bytes32 digest = keccak256(update[:MESSAGE_LENGTH]);
        bytes32 r = bytes32(update[72:104]);
        bytes32 s = bytes32(update[104:136]);
        if (uint256(s) > MAX_S) revert InvalidUpdateData();
        if (ecrecover(digest, uint8(update[136]), r, s) != feedSigner) revert InvalidUpdateData();
    }

    function _find(bytes[] calldata updateData, bytes32 id, uint64 minPublishTime, uint64 maxPublishTime)
        private
        pure
        returns (PriceFeed memory)
    {
        for (uint256 i; i < updateData.length; ++i) {
            bytes calldata update = updateData[i];
            if (bytes32(update[4:36]) != id) continue;
            uint64 publishTime = uint64(bytes8(update[56:64]));
            uint64 prevPublishTime = uint64(bytes8(update[64:72]));
            bool isWithin = minPublishTime <= publishTime && publishTime <= maxPublishTime;
            if (isWithin && prevPublishTime < minPublishTime) return _toFeed(update, id, publishTime);
        }
        revert PriceFeedNotFoundWithinRange();
    }

    /// @dev This feed has no moving average: the price is used for it.
    function _toFeed(bytes calldata update, bytes32 id, uint64 publishTime) private pure returns (PriceFeed memory) {
        Price memory price = Price({
            price: int64(uint64(bytes8(update[36:44]))),
            conf: uint64(bytes8(update[44:52])),
            expo: int32(uint32(bytes4(update[52:56]))),
            publishTime: publishTime
        });
        return PriceFeed({id: id, price: price, emaPrice: price});
    }
}
