// One bad fill among ten: nine settle, the tenth leaves no trace and names its cause.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {TestStablecoin} from "../../src/tokens/TestStablecoin.sol";
import {BatchPacking, Signature} from "./BatchPacking.sol";
import {SettlementFixture} from "./SettlementFixture.sol";
import {vm} from "./Vm.sol";
import {AgreeableWallet} from "./Wallets.t.sol";

/// @dev What a delegated wallet may run when it is handed shares.
contract GasBurner {
    fallback() external {
        while (true) {}
    }
}

/// @dev A stablecoin with a blacklist of the worst kind: it burns whatever gas it is given.
contract GasBurningStablecoin is TestStablecoin {
    address public burnsFor;

    function burnFor(address account) external {
        burnsFor = account;
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        while (from == burnsFor) {}
        return super.transferFrom(from, to, amount);
    }
}

/// @dev Shares that fail as no contract of ours does: the transfer, or the split with words that look like a fill code.
contract FaultySharesContract {
    error NotAFillCode(uint256 code);

    bool private immutable failsInTransfer;

    constructor(bool inTransfer) {
        failsInTransfer = inTransfer;
    }

    function operatorTransfer(address, address, uint256, uint256) external view returns (uint256) {
        require(!failsInTransfer);
        return 0;
    }

    function splitTo(address, bytes32, uint256, address, address) external view {
        if (!failsInTransfer) revert NotAFillCode(FillCodes.BUYER_FUNDS);
    }
}

contract IsolationTest is SettlementFixture {
    uint256 private constant TAKER = 50;
    uint256 private constant FIRST_MAKER = 100;
    uint256 private constant BAD = 4;
    uint64 private constant SIZE = 10e6;
    address private badMaker;

    function makerKey(uint256 i) private pure returns (uint256) {
        return FIRST_MAKER + i;
    }

    /// @dev One taker buys from ten makers who hold their shares and nothing else.
    function putSweepOfSellers() private {
        openTrader(TAKER, RICH, 0);
        put(TAKER, BUY, 600_000, 10 * SIZE, 0);
        for (uint256 i; i < 10; ++i) {
            openTrader(makerKey(i), 0, SIZE);
            put(makerKey(i), SELL, 500_000, SIZE, 3);
            putFill(0, i + 1, 500_000, SIZE);
        }
        badMaker = vm.addr(makerKey(BAD));
    }

    /// @dev One taker sells to ten makers.
    function putSweepOfBuyers() private {
        openTrader(TAKER, 0, 10 * SIZE);
        put(TAKER, SELL, 400_000, 10 * SIZE, 0);
        for (uint256 i; i < 10; ++i) {
            openTrader(makerKey(i), RICH, 0);
            put(makerKey(i), BUY, 500_000, SIZE, 3);
            putFill(i + 1, 0, 500_000, SIZE);
        }
        badMaker = vm.addr(makerKey(BAD));
    }

    function expectNine(uint8 code) private {
        send();
        assertEq(codes.length, 10, "fills answered");
        for (uint256 i; i < 10; ++i) {
            assertEq(codes[i], i == BAD ? code : FillCodes.SETTLED, "code");
            assertEq(filledOf(makerKey(i), 3), i == BAD ? 0 : SIZE, "maker's counter");
        }
        assertEq(filledOf(TAKER, 0), 9 * SIZE, "taker's counter");
        assertEq(usd.balanceOf(address(settlement)), 0, "left in the settlement");
    }

    function test_anAllowanceRevokedSpoilsOneFill() public {
        putSweepOfBuyers();
        vm.prank(badMaker);
        usd.approve(address(settlement), 0);
        expectNine(FillCodes.BUYER_FUNDS);
    }

    function test_sharesGoneSpoilOneFill() public {
        putSweepOfSellers();
        vm.prank(badMaker);
        shares.safeTransferFrom(badMaker, address(0xdead), ids[YES], SIZE, "");
        expectNine(FillCodes.SELLER_FUNDS);
        assertEq(yesOf(vm.addr(TAKER)), 9 * SIZE, "taker's shares");
    }

    function test_aShareApprovalRevokedSpoilsOneFill() public {
        putSweepOfSellers();
        vm.prank(badMaker);
        shares.setApprovalForAll(address(settlement), false);
        expectNine(FillCodes.SELLER_FUNDS);
        assertEq(yesOf(badMaker), SIZE, "the maker keeps their shares");
    }

    function test_anOrderBeyondItsGraceSpoilsOneFill() public {
        putSweepOfSellers();
        Order memory stale = newOrder(makerKey(BAD), SELL, 500_000, SIZE, 3);
        stale.expiration = uint64(START);
        batchOrders[BAD + 1] = stale;
        batchSignatures[BAD + 1] = signOrder(makerKey(BAD), stale);
        vm.warp(START + GRACE + 1);
        expectNine(FillCodes.SELLER_EXPIRED);
    }

    function test_aBadSignatureSpoilsOneFill() public {
        putSweepOfSellers();
        batchSignatures[BAD + 1] = batchSignatures[BAD];
        expectNine(FillCodes.SELLER_SIGNATURE);
    }

    function test_anOverfillSpoilsOneFill() public {
        putSweepOfSellers();
        Order memory small = newOrder(makerKey(BAD), SELL, 500_000, SIZE - 1, 3);
        batchOrders[BAD + 1] = small;
        batchSignatures[BAD + 1] = signOrder(makerKey(BAD), small);
        expectNine(FillCodes.SELLER_OVERFILLED);
    }

    function test_aGasBurningReceiverIsNeverCalled() public {
        putSweepOfBuyers();
        vm.etch(badMaker, address(new GasBurner()).code);
        send();
        for (uint256 i; i < 10; ++i) {
            assertEq(codes[i], FillCodes.SETTLED, "code");
        }
        assertEq(yesOf(badMaker), SIZE, "it got its shares all the same");
    }

    function test_aMintToAGasBurningReceiverIsNotCalledEither() public {
        openTrader(TAKER, RICH, 0);
        openTrader(FIRST_MAKER, RICH, 0);
        vm.etch(vm.addr(TAKER), address(new GasBurner()).code);
        vm.etch(vm.addr(FIRST_MAKER), address(new GasBurner()).code);
        put(TAKER, BUY, 500_000, SIZE, 0);
        put(FIRST_MAKER, SELL, 500_000, SIZE, 0);
        putFill(0, 1, 500_000, SIZE);
        expectCode(FillCodes.SETTLED);
    }

    function test_aTokenThatBurnsAllItsGasSpoilsOneFillAndBlamesNobody() public {
        settleIn(address(new GasBurningStablecoin()));
        putSweepOfBuyers();
        GasBurningStablecoin(address(usd)).burnFor(badMaker);
        expectNine(FillCodes.OUT_OF_GAS);
    }

    function test_aSellerWhoseMintBurnsAllItsGasIsNotBlamedForHisMoney() public {
        settleIn(address(new GasBurningStablecoin()));
        openTrader(TAKER, RICH, 0);
        openTrader(FIRST_MAKER, RICH, 0);
        GasBurningStablecoin(address(usd)).burnFor(vm.addr(FIRST_MAKER));
        put(TAKER, BUY, 400_000, SIZE, 0);
        put(FIRST_MAKER, SELL, 400_000, SIZE, 0);
        putFill(0, 1, 400_000, SIZE);
        expectCode(FillCodes.OUT_OF_GAS);
    }

    function test_aSplitThatFailsIsATokenFault() public {
        openTrader(TAKER, RICH, 0);
        openTrader(FIRST_MAKER, RICH, 0);
        // The settlement's own leave to the shares' contract is withdrawn: no trader can cause this, and none is blamed.
        vm.prank(address(settlement));
        usd.approve(address(shares), 0);
        put(TAKER, BUY, 400_000, SIZE, 0);
        put(FIRST_MAKER, SELL, 400_000, SIZE, 0);
        putFill(0, 1, 400_000, SIZE);
        expectCode(FillCodes.TOKEN_FAULT);
    }

    function test_lowGasStopsTheBatchCleanly() public {
        putSweepOfSellers();
        sendWithGas(settlement.MIN_FILL_GAS() + 300_000);
        require(notAttemptedFrom > 0 && notAttemptedFrom < 10, "stopped within the batch");
        assertEq(codes.length, notAttemptedFrom, "fills answered before the stop");
        for (uint256 i; i < 10; ++i) {
            assertEq(filledOf(makerKey(i), 3), i < notAttemptedFrom ? SIZE : 0, "maker's counter");
        }
    }

    function testFuzz_anyGasLimitSettlesAPrefix(uint32 gas) public {
        putSweepOfSellers();
        requirePrefix(100_000 + gas % 2_000_000);
    }

    /// @dev The dearest fills there are: mints into new balances by traders who never traded, with counters in slots of their own.
    function testFuzz_anyGasLimitSettlesAPrefixOfMints(uint32 gas) public {
        putMints();
        requirePrefix(100_000 + gas % 3_000_000);
    }

    /// @dev Every fill takes all the gas that it may, and what comes after it must still be possible.
    function testFuzz_noGasLimitLetsAGasBurningTokenRevertTheBatch(uint32 gas) public {
        settleIn(address(new GasBurningStablecoin()));
        putMints();
        GasBurningStablecoin(address(usd)).burnFor(vm.addr(TAKER));
        (bytes32[] memory marketIds, bytes memory orders) = BatchPacking.packOrders(batchOrders, batchSignatures);
        bytes memory answer =
            settlement.settleBatch{gas: 100_000 + gas % 6_000_000}(marketIds, orders, packedFills());
        for (uint256 i; i < answer.length; ++i) {
            bool isExpected = uint8(answer[i]) == FillCodes.OUT_OF_GAS || uint8(answer[i]) == FillCodes.NOT_ATTEMPTED;
            require(isExpected, "code");
        }
        assertEq(filledOf(TAKER, 0), 0, "taker's counter");
    }

    /// @dev A full batch of failures, cut off anywhere.
    function testFuzz_noGasLimitRevertsABatchOfAHundredFailures(uint32 gas) public {
        openTrader(TAKER, RICH, 0);
        put(TAKER, BUY, 600_000, SIZE, 0);
        put(TAKER, SELL, 600_000, SIZE, 1);
        batchSignatures[1].r = 0;
        for (uint256 i; i < 100; ++i) {
            putFill(0, 1, 600_000, 1);
        }
        sendWithGas(100_000 + gas % 2_000_000);
    }

    /// @dev A revert is a failure here: nothing catches it.
    function requirePrefix(uint256 limit) private {
        sendWithGas(limit);
        uint256 done;
        while (done < 10 && filledOf(makerKey(done), 3) == SIZE) ++done;
        assertEq(codes.length, done, "fills answered");
        for (uint256 i = done; i < 10; ++i) {
            assertEq(filledOf(makerKey(i), 3), 0, "a fill after the stop");
        }
        assertEq(filledOf(TAKER, 0), done * SIZE, "taker's counter");
        assertEq(yesOf(vm.addr(TAKER)), done * SIZE, "taker's shares");
    }

    function putMints() private {
        openTrader(TAKER, RICH, 0);
        put(TAKER, BUY, 600_000, 10 * SIZE, 0);
        for (uint256 i; i < 10; ++i) {
            openTrader(makerKey(i), RICH, 0);
            put(makerKey(i), SELL, 500_000, SIZE, 3);
            putFill(0, i + 1, 500_000, SIZE);
        }
    }

    function putPlainTrade() private {
        openTrader(TAKER, RICH, 0);
        openTrader(makerKey(0), RICH, 0);
        put(TAKER, BUY, 600_000, SIZE, 0);
        put(makerKey(0), SELL, 500_000, SIZE, 0);
        putFill(0, 1, 500_000, SIZE);
    }

    /// @dev Only the settlement's own error is a code: thirty-six bytes of another contract blame nobody.
    function test_anotherErrorOfThirtySixBytesIsTheTokensFault() public {
        putPlainTrade();
        vm.etch(address(shares), address(new FaultySharesContract(false)).code);
        expectCode(FillCodes.TOKEN_FAULT);
        assertEq(filledOf(TAKER, 0) + filledOf(makerKey(0), 0), 0, "counters");
    }

    /// @dev Shares that could not be moved are not shares that are not held, which would be minted.
    function test_aTransferOfSharesThatFailsIsNotATransferOfNothing() public {
        putPlainTrade();
        vm.etch(address(shares), address(new FaultySharesContract(true)).code);
        expectCode(FillCodes.TOKEN_FAULT);
    }

    /// @dev The dearest fill there is, behind 99 that settle: both wallets take all that they may, and so does the token. At no
    /// gas limit around the least that it is tried with may the batch revert, which would take the others with it.
    function test_theDearestFillLeavesEnoughToEndTheBatch() public {
        settleIn(address(new GasBurningStablecoin()));
        GasBurningStablecoin(address(usd)).burnFor(openDearWallet(0xd1));
        openDearWallet(0xd2);
        openTrader(TAKER, RICH, 0);
        openTrader(makerKey(0), RICH, SIZE);
        bytes memory fills;
        for (uint256 i; i < 99; ++i) {
            fills = bytes.concat(fills, BatchPacking.packFill(2, 3, 500_000, 2));
        }
        uint256 used = gasleft();
        require(trySettle(fills, gasleft()), "99 fills");
        used -= gasleft();
        fills = bytes.concat(fills, BatchPacking.packFill(0, 1, 500_000, SIZE));
        uint256 least = used + settlement.MIN_FILL_GAS() - 60_000;
        bool wasTried;
        for (uint256 gas = least; gas < least + 160_000; gas += 4_000) {
            uint256 before = gasleft();
            require(trySettle(fills, gas), "the batch reverted");
            if (lastCode != FillCodes.OUT_OF_GAS || wasTried) continue;
            wasTried = true;
            // More than two tills that burn all that they may (404,760) and what CALL_GAS reserves (322,380): so the batch would
            // end without that reserve, too, and an end that cost as much again would be paid.
            require(gas - (before - gasleft()) > 727_140, "left at the end");
        }
        require(wasTried, "the fill was never tried");
    }

    uint8 private lastCode;

    function trySettle(bytes memory fills, uint256 gas) private returns (bool done) {
        bytes32[] memory marketIds = new bytes32[](1);
        marketIds[0] = marketId;
        Order memory buy = newOrder(TAKER, BUY, 500_000, SIZE, 0);
        Order memory sell = newOrder(makerKey(0), SELL, 500_000, SIZE, 0);
        bytes memory orders = bytes.concat(
            packDear(0xd1, BUY),
            packDear(0xd2, SELL),
            BatchPacking.packOrder(buy, 0, signOrder(TAKER, buy)),
            BatchPacking.packOrder(sell, 0, signOrder(makerKey(0), sell)),
            new bytes(112)
        );
        bytes memory call = abi.encodeCall(IPresageSettlement.settleBatch, (marketIds, orders, fills));
        bytes memory answer;
        (done, answer) = address(settlement).call{gas: gas}(call);
        if (done) lastCode = uint8(abi.decode(answer, (bytes))[fills.length / 13 - 1]);
    }

    function openDearWallet(uint160 place) private returns (address wallet) {
        wallet = address(place);
        vm.etch(wallet, address(new AgreeableWallet()).code);
        AgreeableWallet(wallet).setToBurn(140_000);
        usd.mint(wallet, RICH);
        AgreeableWallet(wallet).approve(usd, address(settlement));
    }

    function packDear(uint160 place, uint8 side) private view returns (bytes memory) {
        Order memory order = newOrder(TAKER, side, 500_000, SIZE, 0);
        order.trader = address(place);
        return BatchPacking.packOrder(order, 0, Signature(bytes32(uint256(448) << 128 | 65), 0));
    }

    function test_onlyTheSettlementItselfRunsTheIsolatedPart() public {
        vm.expectRevert(IPresageSettlement.OnlySelf.selector);
        settlement.moveAssets(1, 2, ids[YES], 1, 1, 0, marketId);
    }
}
