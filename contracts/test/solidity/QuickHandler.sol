// The part of the invariants' runner that has no people in it: prices that strike and resolve a quick market, and voids.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IQuickMarket} from "../../src/interfaces/IQuickMarket.sol";
import {PriceUpdates, Update} from "./PriceUpdates.sol";
import {Factory, Production, QuickFactory, ResolvingMarket} from "./Production.sol";
import {LedgerHandler} from "./LedgerHandler.sol";
import {vm} from "./Vm.sol";

abstract contract QuickHandler is LedgerHandler {
    uint64 private constant OPENS = uint64(START) + 100;
    uint64 private constant ENDS = OPENS + 900;
    uint64 private constant SHORT_VOID_DELAY = 6 minutes;
    bytes32 private constant FEED = keccak256("BTC/USD");

    IQuickMarket public quick;
    ResolvingMarket public voidable;
    int64 private _startPrice;
    uint256 public quickResults;

    function openVoidable() internal {
        address implementation = Production.deployMarket(
            address(shares), address(usd), address(settlement), address(oracle), false, SHORT_VOID_DELAY
        );
        Factory factory = Production.deployFactory(address(this), implementation, address(settlement), BOND);
        factory.grantRole(factory.CREATOR_ROLE(), address(this));
        (bytes32 id, address created) =
            factory.createFeeMarket("Will it snow?", "One flake.", "general", uint64(START) + 2 minutes, false, 700, 10_000);
        voidable = ResolvingMarket(created);
        addMarket(id);
        endOf[id] = START + 2 minutes + SHORT_GRACE;
        feesOf[id] = Fees(700, 10_000);
    }

    function openQuick() internal {
        address feed = address(Production.deployPriceOracle(vm.addr(PriceUpdates.FEED_KEY)));
        address implementation =
            Production.deployQuickMarket(feed, address(shares), address(usd), address(settlement), 100, 1 days);
        QuickFactory factory = Production.deployQuickFactory(address(this), implementation, address(settlement));
        factory.grantRole(factory.CREATOR_ROLE(), address(this));
        (bytes32 id, address created) = factory.createQuickFeeMarket("BTC", FEED, OPENS, 133, 2_500);
        quick = IQuickMarket(created);
        addMarket(id);
        endOf[id] = ENDS + SHORT_GRACE;
        feesOf[id] = Fees(133, 2_500);
    }

    /// @dev Right or wrong in one way: time, gap, confidence, sign or feed. Whatever comes after the end is as good.
    function strikeQuick(uint32 dice, uint8 fault) external {
        int64 price = int64(uint64(1e10 + dice));
        bool isTaken = submit(OPENS, price, fault, false);
        bool isGood = fault % 12 >= 7 && _startPrice == 0 && !isSettled();
        require(isTaken == isGood, "strike");
        if (isTaken) _startPrice = price;
    }

    function resolveQuick(uint32 dice, uint8 fault, uint8 patience) external {
        if (patience % 8 == 0 && _startPrice != 0 && block.timestamp < ENDS) vm.warp(ENDS);
        int64 price = patience % 5 == 0 && _startPrice != 0 ? _startPrice : int64(uint64(1e10 + dice));
        bool wasSettled = isSettled();
        bool isTaken = submit(ENDS, price, fault, true);
        require(isTaken == (fault % 12 >= 7 && _startPrice != 0 && !wasSettled), "resolution");
        if (!isTaken) return;
        ++quickResults;
        bool isYes = price >= _startPrice;
        assertEq(shares.payoutNumerators(quick.marketId(), 0), isYes ? 1 : 0, "YES pays");
        assertEq(shares.payoutNumerators(quick.marketId(), 1), isYes ? 0 : 1, "NO pays");
        noteResults();
    }

    function voidSomething(bool isQuick, uint8 patience) external {
        bool wasSettled = isQuick ? isSettled() : voidable.resolution().resolved;
        uint64 from = isQuick
            ? ENDS + 1 days
            : uint64(START) + 2 minutes + SHORT_VOID_DELAY;
        if (patience % 16 == 0 && block.timestamp < from && !isQuick) vm.warp(from);
        address target = isQuick ? address(quick) : address(voidable);
        (bool done,) = target.call(abi.encodeWithSignature("void()"));
        require(done == (!wasSettled && block.timestamp >= from), "void");
        if (!done) return;
        bytes32 id = isQuick ? quick.marketId() : voidable.marketId();
        require(shares.payoutNumerators(id, 0) == 1 && shares.payoutNumerators(id, 1) == 1, "halves");
        noteResults();
    }

    function isSettled() private view returns (bool) {
        return shares.payoutDenominator(quick.marketId()) != 0;
    }

    function submit(uint64 boundary, int64 price, uint8 fault, bool isEnd) private returns (bool done) {
        fault = fault % 12;
        Update memory update = Update(FEED, price, 1e6, -8, boundary + 5, boundary - 1);
        if (fault == 0) update.publishTime = boundary - 1;
        if (fault == 1) update.publishTime = boundary + 61;
        if (fault == 2) update.prevPublishTime = boundary;
        if (fault == 3) update.conf = uint64(price) / 100 + 1;
        if (fault == 4) update.price = -price;
        if (fault == 5) update.feedId = keccak256("ETH/USD");
        bytes memory signed = PriceUpdates.signed(update);
        if (fault == 6) signed[50] ^= 0x01;
        bytes[] memory data = PriceUpdates.alone(signed);
        bytes memory call = isEnd ? abi.encodeCall(IQuickMarket.resolve, (data)) : abi.encodeCall(IQuickMarket.strike, (data));
        (done,) = address(quick).call(call);
    }
}
