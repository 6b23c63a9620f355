// A deployed settlement with one market, traders by private key, and a batch that a test fills and sends.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {BatchPacking, Signature} from "./BatchPacking.sol";
import {Production, Settlement, Shares, Stablecoin} from "./Production.sol";
import {Vm, vm} from "./Vm.sol";

abstract contract SettlementFixture {
    uint256 internal constant GRACE = 3600;
    uint256 internal constant START = 1_700_000_000;
    /// @dev Expiration of the fixture's market, far behind what most tests do.
    uint64 internal constant CLOSE = uint64(START + 365 days);
    uint8 internal constant BUY = 0;
    uint8 internal constant SELL = 1;
    uint8 internal constant YES = 0;
    uint8 internal constant NO = 1;
    uint256 internal constant RICH = 1_000_000e6;

    Stablecoin internal usd;
    Shares internal shares;
    Settlement internal settlement;
    bytes32 internal marketId;
    uint256[2] internal ids;

    Order[] internal batchOrders;
    Signature[] internal batchSignatures;
    bytes[] internal batchFills;
    /// @dev What the last batch answered, per fill: the code, and the packed amounts of a fill that settled.
    uint8[] internal codes;
    uint256[] internal settledAmounts;
    uint256 internal notAttemptedFrom;

    function setUp() public virtual {
        vm.warp(START);
        usd = Production.deployStablecoin();
        shares = Production.deployShares();
        shares.prepareCondition(address(this), "question", 2);
        marketId = shares.getConditionId(address(this), "question", 2);
        settleIn(address(usd));
    }

    /// @dev Replaces the settlement by one for another stablecoin, with the same market.
    function settleIn(address stablecoin) internal {
        usd = Stablecoin(stablecoin);
        settlement = Production.deploySettlement(address(this), stablecoin, address(shares), GRACE);
        settlement.grantRole(settlement.OPERATOR_ROLE(), address(this));
        Production.letRegister(address(settlement), address(this));
        (ids[0], ids[1]) = settlement.registerMarket(marketId, CLOSE, 0, 0);
    }

    // ---------------------------------------------------------------- traders

    /// @dev A trader who lets the settlement draw everything.
    function openTrader(uint256 key, uint256 stablecoin, uint256 yesShares) internal returns (address trader) {
        trader = vm.addr(key);
        usd.mint(trader, stablecoin);
        giveShares(trader, YES, yesShares);
        vm.startPrank(trader);
        usd.approve(address(settlement), type(uint256).max);
        shares.setApprovalForAll(address(settlement), true);
        vm.stopPrank();
    }

    /// @dev Splits stablecoin made for the purpose; the other outcome goes to a bin that no test looks at.
    function giveShares(address to, uint8 outcome, uint256 amount) internal {
        if (amount == 0) return;
        address bin = address(0xb1);
        usd.mint(address(this), amount);
        usd.approve(address(shares), amount);
        (address yesTo, address noTo) = outcome == YES ? (to, bin) : (bin, to);
        shares.splitTo(address(usd), marketId, amount, yesTo, noTo);
    }

    function newOrder(uint256 key, uint8 side, uint64 price, uint64 size, uint64 nonce)
        internal
        view
        returns (Order memory)
    {
        return Order({
            marketId: marketId,
            trader: vm.addr(key),
            side: side,
            outcome: YES,
            price: price,
            size: size,
            nonce: nonce,
            expiration: uint64(START + 1 hours),
            makerFeeRecipient: address(0)
        });
    }

    function signOrder(uint256 key, Order memory order) internal view returns (Signature memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, settlement.hashOrder(order));
        return Signature(r, bytes32(uint256(s) | (uint256(v - 27) << 255)));
    }

    // ---------------------------------------------------------------- the batch

    function put(uint256 key, Order memory order) internal returns (uint256 index) {
        index = batchOrders.length;
        batchOrders.push(order);
        batchSignatures.push(signOrder(key, order));
    }

    function put(uint256 key, uint8 side, uint64 price, uint64 size, uint64 nonce) internal returns (uint256) {
        return put(key, newOrder(key, side, price, size, nonce));
    }

    function putFill(uint256 buyIndex, uint256 sellIndex, uint64 price, uint64 size) internal {
        batchFills.push(BatchPacking.packFill(buyIndex, sellIndex, price, size));
    }

    function send() internal {
        sendWithGas(50_000_000);
    }

    function sendWithGas(uint256 gas) internal {
        vm.recordLogs();
        (bytes32[] memory marketIds, bytes memory orders) = BatchPacking.packOrders(batchOrders, batchSignatures);
        bytes memory answer = settlement.settleBatch{gas: gas}(marketIds, orders, packedFills());
        readLogs(vm.getRecordedLogs());
        requireSameAsLogs(answer);
        delete batchOrders;
        delete batchSignatures;
        delete batchFills;
    }

    /// @return all logs of the batch, of the token too; codes and amounts are not read
    function sendRecorded() internal returns (Vm.Log[] memory) {
        (bytes32[] memory marketIds, bytes memory orders) = BatchPacking.packOrders(batchOrders, batchSignatures);
        bytes memory fills = packedFills();
        vm.recordLogs();
        settlement.settleBatch(marketIds, orders, fills);
        return vm.getRecordedLogs();
    }

    /// @dev Sends the batch with all its packing done beforehand, so that the call is the next thing that happens.
    function sendExpecting(bytes memory revertData) internal {
        (bytes32[] memory marketIds, bytes memory orders) = BatchPacking.packOrders(batchOrders, batchSignatures);
        bytes memory fills = packedFills();
        vm.expectRevert(revertData);
        settlement.settleBatch(marketIds, orders, fills);
    }

    function packedFills() internal view returns (bytes memory packed) {
        for (uint256 i; i < batchFills.length; ++i) {
            packed = bytes.concat(packed, batchFills[i]);
        }
    }

    /// @dev What a simulation sees must be what the logs of the transaction say.
    function requireSameAsLogs(bytes memory answer) private view {
        assertEq(answer.length, batchFills.length, "codes answered");
        for (uint256 i; i < answer.length; ++i) {
            uint8 logged = i < codes.length ? codes[i] : FillCodes.NOT_ATTEMPTED;
            assertEq(uint8(answer[i]), logged, "code answered and code logged");
        }
    }

    function readLogs(Vm.Log[] memory logs) private {
        delete codes;
        delete settledAmounts;
        notAttemptedFrom = type(uint256).max;
        bytes32[] memory settled;
        uint8[] memory failures = new uint8[](256);
        uint256 failed;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(settlement)) continue;
            bytes32 topic = logs[i].topics[0];
            if (topic == IPresageSettlement.FillsSettled.selector) {
                require(settled.length == 0, "a batch told twice what it settled");
                settled = abi.decode(logs[i].data, (bytes32[]));
            } else if (topic == IPresageSettlement.FillFailed.selector) {
                (uint256 index, uint8 code) = abi.decode(logs[i].data, (uint256, uint8));
                require(failures[index] == 0, "a fill failed twice");
                failures[index] = code;
                ++failed;
            } else if (topic == IPresageSettlement.FillsNotAttempted.selector) {
                notAttemptedFrom = abi.decode(logs[i].data, (uint256));
            }
        }
        joinOutcomes(settled, failures, failed);
    }

    /// @dev Failures say where they stand; what settled belongs to the rest in turn.
    function joinOutcomes(bytes32[] memory settled, uint8[] memory failures, uint256 failed) private {
        require(settled.length % 3 == 0, "whole fills");
        uint256 next;
        for (uint256 i; i < settled.length / 3 + failed; ++i) {
            codes.push(failures[i]);
            settledAmounts.push(failures[i] == 0 ? uint256(settled[next + 2]) : 0);
            if (failures[i] == 0) next += 3;
        }
        require(next == settled.length, "a failure behind the last fill");
    }

    /// @dev Sends the batch and expects one fill with this code.
    function expectCode(uint8 code) internal {
        send();
        require(codes.length == 1, "one fill was sent");
        assertEq(codes[0], code, "code");
    }

    function filledOf(uint256 key, uint64 nonce) internal view returns (uint256) {
        return settlement.filled(vm.addr(key), marketId, nonce);
    }

    function yesOf(address owner) internal view returns (uint256) {
        return shares.balanceOf(owner, ids[YES]);
    }

    function noOf(address owner) internal view returns (uint256) {
        return shares.balanceOf(owner, ids[NO]);
    }

    function assertEq(uint256 actual, uint256 expected, string memory what) internal pure {
        if (actual == expected) return;
        revert(string.concat(what, ": got ", toText(actual), ", expected ", toText(expected)));
    }

    function toText(uint256 value) private pure returns (string memory) {
        if (value < 10) return string(abi.encodePacked(bytes1(uint8(48 + value))));
        return string.concat(toText(value / 10), string(abi.encodePacked(bytes1(uint8(48 + value % 10)))));
    }
}
