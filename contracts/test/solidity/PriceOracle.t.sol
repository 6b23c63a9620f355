// The price oracle: only the feed's own updates count, only the first one in the range, and so says Pyth's own mock.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MockPyth} from "@pythnetwork/pyth-sdk-solidity/MockPyth.sol";
import {PythErrors} from "@pythnetwork/pyth-sdk-solidity/PythErrors.sol";
import {PythStructs} from "@pythnetwork/pyth-sdk-solidity/PythStructs.sol";
import {IPyth} from "@pythnetwork/pyth-sdk-solidity/IPyth.sol";
import {IPriceOracle, PriceFeed} from "../../src/interfaces/IPriceOracle.sol";
import {PriceOrder} from "../../src/libraries/PriceOrder.sol";
import {PriceOracle} from "../../src/oracle/PriceOracle.sol";
import {PriceUpdates, Update} from "./PriceUpdates.sol";
import {Production} from "./Production.sol";
import {vm} from "./Vm.sol";

contract PriceOracleTest {
    uint64 private constant T = 1_700_000_100;
    bytes32 private constant BTC = keccak256("BTC");
    bytes32 private constant ETH = keccak256("ETH");
    uint256 private constant ORDER_OF_CURVE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    IPriceOracle private oracle;
    MockPyth private mock;

    function setUp() public {
        oracle = Production.deployPriceOracle(vm.addr(PriceUpdates.FEED_KEY));
        mock = new MockPyth(60, 0);
    }

    function published(uint64 publishTime, uint64 prevPublishTime) private pure returns (Update memory) {
        return Update(BTC, 65_000e8, 12e8, -8, publishTime, prevPublishTime);
    }

    function idsOf(bytes32 id) private pure returns (bytes32[] memory ids) {
        ids = new bytes32[](1);
        ids[0] = id;
    }

    function parse(bytes memory payload) private returns (PriceFeed[] memory) {
        return oracle.parsePriceFeedUpdatesUnique(PriceUpdates.alone(payload), idsOf(BTC), T, T + 60);
    }

    function test_theInterfaceIsPyths() public pure {
        require(IPriceOracle.parsePriceFeedUpdatesUnique.selector == IPyth.parsePriceFeedUpdatesUnique.selector, "parse");
        require(IPriceOracle.getUpdateFee.selector == IPyth.getUpdateFee.selector, "fee");
        require(
            IPriceOracle.PriceFeedNotFoundWithinRange.selector == PythErrors.PriceFeedNotFoundWithinRange.selector,
            "out of range"
        );
        require(IPriceOracle.InvalidUpdateData.selector == PythErrors.InvalidUpdateData.selector, "invalid");
    }

    function test_anUpdateIsReadAsItWasWritten() public {
        PriceFeed memory feed = parse(PriceUpdates.signed(published(T + 3, T - 1)))[0];
        require(feed.id == BTC && feed.price.price == 65_000e8 && feed.price.conf == 12e8, "price");
        require(feed.price.expo == -8 && feed.price.publishTime == T + 3, "exponent and time");
    }

    function test_bothEndsOfTheRangeAreInside() public {
        parse(PriceUpdates.signed(published(T, T - 1)));
        parse(PriceUpdates.signed(published(T + 60, T - 1)));
    }

    function test_anUpdateBeforeTheRangeIsRefused() public {
        bytes memory payload = PriceUpdates.signed(published(T - 1, T - 2));
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        parse(payload);
    }

    function test_anUpdateAfterTheRangeIsRefused() public {
        bytes memory payload = PriceUpdates.signed(published(T + 61, T - 1));
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        parse(payload);
    }

    function test_aLaterUpdateInTheRangeIsRefused() public {
        bytes memory payload = PriceUpdates.signed(published(T + 1, T));
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        parse(payload);
    }

    function test_anotherFeedIsRefused() public {
        bytes[] memory updates = PriceUpdates.alone(PriceUpdates.signed(published(T, T - 1)));
        vm.expectRevert(IPriceOracle.PriceFeedNotFoundWithinRange.selector);
        oracle.parsePriceFeedUpdatesUnique(updates, idsOf(ETH), T, T + 60);
    }

    function test_anotherSignerIsRefused() public {
        bytes memory payload = PriceUpdates.signedBy(published(T, T - 1), 0xbad);
        vm.expectRevert(IPriceOracle.InvalidUpdateData.selector);
        parse(payload);
    }

    function test_theOtherSignatureOfTheSameMessageIsRefused() public {
        bytes memory payload = PriceUpdates.signed(published(T, T - 1));
        bytes32 s;
        assembly ("memory-safe") {
            s := mload(add(payload, 136))
        }
        bytes32 high = bytes32(ORDER_OF_CURVE - uint256(s));
        assembly ("memory-safe") {
            mstore(add(payload, 136), high)
        }
        payload[136] = payload[136] == bytes1(uint8(27)) ? bytes1(uint8(28)) : bytes1(uint8(27));
        vm.expectRevert(IPriceOracle.InvalidUpdateData.selector);
        parse(payload);
    }

    function testFuzz_aChangedByteIsRefused(uint8 place, uint8 change) public {
        bytes memory payload = PriceUpdates.signed(published(T, T - 1));
        uint256 position = uint256(place) % payload.length;
        vm.assume(change != 0);
        payload[position] ^= bytes1(change);
        vm.expectRevert(IPriceOracle.InvalidUpdateData.selector);
        parse(payload);
    }

    /// @dev Signed by the feed, and yet not an update: of another kind, or with more behind it.
    function test_onlyAnUpdateOfThisKindAndLengthIsOne() public {
        bytes memory payload = PriceUpdates.signed(published(T, T - 1));
        vm.expectRevert(IPriceOracle.InvalidUpdateData.selector);
        parse(bytes.concat(payload, hex"00"));
        bytes memory message = new bytes(72);
        for (uint256 i; i < 72; ++i) {
            message[i] = payload[i];
        }
        message[3] = "2";
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PriceUpdates.FEED_KEY, keccak256(message));
        vm.expectRevert(IPriceOracle.InvalidUpdateData.selector);
        parse(abi.encodePacked(message, r, s, v));
    }

    function testFuzz_bytesThatAreNoUpdateAreRefused(bytes memory payload) public {
        vm.expectRevert(IPriceOracle.InvalidUpdateData.selector);
        parse(payload);
    }

    function test_moneyIsNotTakenSinceNoFeeIsAsked() public {
        bytes[] memory updates = PriceUpdates.alone(PriceUpdates.signed(published(T, T - 1)));
        require(oracle.getUpdateFee(updates) == 0, "fee");
        vm.expectRevert(PriceOracle.FeeNotTaken.selector);
        oracle.parsePriceFeedUpdatesUnique{value: 1}(updates, idsOf(BTC), T, T + 60);
    }

    /// @dev Times are drawn from around the range, so that every side of every rule is met often.
    function testFuzz_agreesWithTheMockOfPyth(
        int64 price,
        uint64 conf,
        int32 expo,
        uint8 publish,
        uint8 previous,
        bool isOtherFeed
    ) public {
        Update memory update =
            Update(isOtherFeed ? ETH : BTC, price, conf, expo, T - 20 + publish % 100, T - 20 + previous % 100);
        (bool isOurs, PriceFeed memory ours) = askOurs(update);
        (bool isTheirs, PythStructs.PriceFeed memory theirs) = askTheirs(update);
        require(isOurs == isTheirs, "verdicts differ");
        if (!isOurs) return;
        require(ours.id == theirs.id && keccak256(abi.encode(ours)) == keccak256(abi.encode(theirs)), "answers differ");
    }

    function askOurs(Update memory update) private returns (bool, PriceFeed memory none) {
        bytes[] memory payload = PriceUpdates.alone(PriceUpdates.signed(update));
        try oracle.parsePriceFeedUpdatesUnique(payload, idsOf(BTC), T, T + 60) returns (PriceFeed[] memory feeds) {
            return (true, feeds[0]);
        } catch {
            return (false, none);
        }
    }

    function askTheirs(Update memory update) private returns (bool, PythStructs.PriceFeed memory none) {
        bytes[] memory payload = PriceUpdates.alone(PriceUpdates.forMock(update));
        try mock.parsePriceFeedUpdatesWithConfig(payload, idsOf(BTC), T, T + 60, true, true, false) returns (
            PythStructs.PriceFeed[] memory feeds, uint64[] memory
        ) {
            return (true, feeds[0]);
        } catch {
            return (false, none);
        }
    }

    function testFuzz_pricesWithTheSameExponentCompareAsNumbers(int64 a, int64 b, int32 expo) public pure {
        require(PriceOrder.isAtLeast(a, expo, b, expo) == (a >= b), "order");
    }

    function testFuzz_aPriceEqualsItselfWrittenWithAnotherExponent(int32 price, uint8 digits, int16 expo) public pure {
        uint256 shift = digits % 10;
        int64 shifted = int64(int256(price) * int256(10 ** shift));
        int32 lower = int32(expo) - int32(int256(shift));
        require(PriceOrder.isAtLeast(price, expo, shifted, lower) && PriceOrder.isAtLeast(shifted, lower, price, expo), "equal");
        if (shifted == type(int64).max) return;
        require(!PriceOrder.isAtLeast(price, expo, shifted + 1, lower), "one unit more");
    }

    function test_exponentsAreComparableAsFarAsTheNumbersFit() public pure {
        require(PriceOrder.isComparable(57, 0) && PriceOrder.isComparable(0, 57) && !PriceOrder.isComparable(58, 0), "near");
        require(!PriceOrder.isComparable(type(int32).max, type(int32).min), "far");
        require(PriceOrder.isAtLeast(type(int64).max, 57, type(int64).min, 0), "the largest");
        require(!PriceOrder.isAtLeast(type(int64).min, 57, type(int64).max, 0), "the lowest");
    }
}
