// The trading half of what the invariants' runner may do: settle, split, merge, give, approve, cancel, halt, pause, wait.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {BatchPacking} from "./BatchPacking.sol";
import {Mood} from "./HostileStablecoin.sol";
import {SettlementModel} from "./SettlementModel.sol";
import {vm} from "./Vm.sol";

/// @dev The runner calls these functions in any order with any arguments. Every order is a function of (trader, nonce), so that a
/// counter can be held against the one size that was ever signed for it. The nonce's bits are side, outcome and market.
abstract contract TradingHandler is SettlementModel {
    uint64 public constant NONCES = 24;
    bytes32 private constant CANCEL_TYPEHASH =
        keccak256("CancelOrder(address trader,bytes32 marketId,uint64 orderNonce,uint256 deadline)");
    bytes32 private constant HALT_TYPEHASH = keccak256("HaltTrading(address trader,uint256 nonce,uint256 deadline)");
    bytes32 private constant RESUME_TYPEHASH = keccak256("ResumeTrading(address trader,uint256 nonce,uint256 deadline)");
    string private constant AMOUNT_FIELDS =
        "(address owner,address collateralToken,bytes32 conditionId,uint256 amount,uint256 nonce,uint256 deadline)";

    uint256 public settledFills;
    uint256 public failedFills;

    function orderOf(uint256 key, uint64 nonce) public view returns (Order memory) {
        uint256 dice = uint256(keccak256(abi.encode(key, nonce)));
        uint256 middle = nonce & 1 == BUY ? 550_000 : 450_000;
        return Order({
            marketId: marketIds[(nonce >> 2) % MARKETS],
            trader: addressOf(key),
            side: uint8(nonce & 1),
            outcome: uint8(nonce >> 1 & 1),
            price: uint64(middle - 400_000 + (dice >> 8) % 800_000),
            size: uint64(20 + (dice >> 40) % 40e6),
            nonce: nonce,
            expiration: uint64(START + 4 minutes + (dice >> 80) % 20 minutes),
            makerFeeRecipient: address(0)
        });
    }

    /// @dev Every counter says what the model says, which never let one beyond its order's size.
    function requireCounters() external view {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            for (uint64 nonce; nonce < NONCES; ++nonce) {
                Order memory order = orderOf(key, nonce);
                uint256 settled = settledOf[keyOf(order.trader, order.marketId, nonce)];
                assertEq(settlement.filled(order.trader, order.marketId, nonce), settled, "counter");
                require(settled <= order.size, "overfilled");
            }
        }
    }

    /// @dev In the mood for it the token tries to run the isolated part of a fill by itself, with the bystander's money.
    function prepareReentry() internal {
        bytes memory call = abi.encodeCall(
            IPresageSettlement.moveAssets,
            (uint160(addressOf(TRADERS + 1)), uint160(addressOf(1)), idOf(0, 0), 1e6, 1, 0, marketIds[0])
        );
        token.setReentry(address(settlement), call);
    }

    // ---------------------------------------------------------------- batches

    function settle(uint256 plan, uint64[3] calldata prices, uint64[3] calldata sizes, uint8 spoil, uint8 temper) external {
        snapshot();
        uint256 signers = planBatch(plan, prices, sizes, spoil, 0);
        address blocked = addressOf(1 + temper / 4 % TRADERS);
        Mood mood = temper % 4 == 0 ? Mood(temper / 4 % 7) : Mood.Honest;
        // A fee on transfers would be paid from deposits, or missing from ours: no such token is supported (docs/audit.md).
        bool isFree = feesOf[batchOrders[0].marketId].rateBps == 0;
        bool isDirect = usd.balanceOf(address(settlement)) == 0 && isFree;
        if (!isFree) allowAll();
        token.setMood(mood == Mood.TakesFee && !isDirect ? Mood.Honest : mood);
        token.setBlocked(blocked, temper % 4 == 1);
        token.setBlocked(TREASURY, temper % 8 == 2);
        settleAndCompare();
        token.setMood(Mood.Honest);
        token.setBlocked(blocked, false);
        token.setBlocked(TREASURY, false);
        requireSpared(signers);
    }

    /// @param plan market, outcome, keys and variants of the four orders; `spoil` may forge, misname or mispair
    /// @param ledgers two bits for each fill: whose deposits it names
    function planBatch(uint256 plan, uint64[3] calldata prices, uint64[3] calldata sizes, uint8 spoil, uint8 ledgers)
        internal
        returns (uint256 signers)
    {
        uint64 kind = uint64(plan & 1) << 1 | uint64((plan >> 1) % MARKETS) << 2;
        for (uint256 i; i < 4; ++i) {
            uint256 key = 1 + (plan >> (8 + 8 * i)) % TRADERS;
            signers |= bitOf(key);
            uint64 variant = uint64((plan >> (48 + i)) & 1) * 12;
            uint64 nonce = kind + variant + uint64(i & 1);
            // The last order is of the other outcome, or of the next market.
            if (i == 3 && spoil % 16 == 13) nonce ^= 2;
            if (i == 3 && spoil % 16 == 14) nonce = (nonce + 4) % NONCES;
            put(key, orderOf(key, nonce));
            isForged.push(false);
        }
        spoilOrders(spoil);
        for (uint256 i; i < 3; ++i) {
            PlannedFill memory fill = planFill(i, prices[i], sizes[i], spoil);
            uint64 terms = fill.price | (fill.sellerTakes ? 1 << 20 : 0);
            putFill(fill.buy, fill.sell, terms | uint64(ledgers >> (2 * i) & 3) << 21, fill.size);
        }
    }

    /// @dev Somebody else's signature, a signature for something else, or somebody else's name.
    function spoilOrders(uint8 spoil) private {
        uint256 place = spoil / 16 % 4;
        if (spoil % 16 == 0) batchSignatures[place].r = bytes32(uint256(spoil) + 1);
        else if (spoil % 16 == 1) batchOrders[place].trader = addressOf(TRADERS + 1);
        else if (spoil % 16 == 2) batchOrders[place].price = 999_999 - batchOrders[place].price;
        else if (spoil % 16 == 3) batchOrders[place].size += 1e12;
        else if (spoil % 16 == 4) batchOrders[place].expiration += 1 days;
        else if (spoil % 16 == 5) batchSignatures[place] = batchSignatures[(place + 1) % 4];
        else return;
        isForged[place] = true;
    }

    function planFill(uint256 i, uint64 priceDice, uint64 size, uint8 spoil) private returns (PlannedFill memory fill) {
        fill = PlannedFill(2 * (i / 2), i < 2 ? 1 : 3, 0, 10 + size % 5e6, priceDice >> 63 == 1);
        uint64 highest = batchOrders[fill.buy].price;
        uint64 lowest = batchOrders[fill.sell].price;
        uint64 low = lowest < highest ? lowest : highest;
        fill.price = low + priceDice % (highest - low + 1);
        if (i == 2) {
            if (spoil % 16 == 6) fill.price = highest + 1;
            if (spoil % 16 == 7) fill.price = lowest == 0 ? 0 : lowest - 1;
            if (spoil % 16 == 8) fill.size = 0;
            if (spoil % 16 == 9) (fill.buy, fill.sell) = (fill.sell, fill.buy);
            if (spoil % 16 == 10) fill.sell = 4;
            if (spoil % 16 == 11) fill.size = 50e6;
            if (spoil % 16 == 12) fill.sell = 0;
            if (spoil % 16 == 15) (fill.buy, fill.price) = (1, batchOrders[1].price);
        }
        planned.push(fill);
    }

    /// @dev Fees are paid ahead also for fills that then fail. The money comes back and the allowance does not (docs/audit.md), so that a
    /// small one is left with less than fill by fill; Fees.t.sol has takers who lack the fee.
    function allowAll() private {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            vm.prank(addressOf(key));
            usd.approve(address(settlement), type(uint256).max);
        }
    }

    function settleAndCompare() private {
        loadModel();
        uint8[] memory expected = new uint8[](planned.length);
        for (uint256 i; i < planned.length; ++i) {
            expected[i] = foretell(planned[i]);
        }
        send();
        assertEq(codes.length, expected.length, "fills answered");
        for (uint256 i; i < expected.length; ++i) {
            assertEq(codes[i], expected[i], "code");
            if (codes[i] == 0) ++settledFills;
            else ++failedFills;
        }
        requireModel();
        delete planned;
        delete isForged;
        require(!token.reentrySucceeded(), "a token got in");
    }

    // ---------------------------------------------------------------- shares

    function split(uint256 key, uint8 place, uint64 amount, bool signed) external {
        key = 1 + key % TRADERS;
        address trader = addressOf(key);
        bytes32 id = marketIds[place % MARKETS];
        uint256 legal = amount % (usd.balanceOf(trader) / 4 + 1);
        snapshot();
        vm.prank(trader);
        usd.approve(address(shares), legal);
        if (signed) {
            bytes memory signature = signAmount(key, "SplitPosition", id, legal);
            shares.splitPositionBySig(trader, address(usd), id, legal, block.timestamp, signature);
        } else {
            vm.prank(trader);
            shares.splitPosition(address(usd), 0, id, bothSets(), legal);
        }
        requireChange(trader, place % MARKETS, -int256(legal), int256(legal), int256(legal));
        requireSpared(bitOf(key));
    }

    function merge(uint256 key, uint8 place, uint64 amount, bool signed) external {
        key = 1 + key % TRADERS;
        address trader = addressOf(key);
        bytes32 id = marketIds[place % MARKETS];
        uint256[7] memory owned = ownedBy(trader);
        uint256 yes = owned[1 + 2 * (place % MARKETS)];
        uint256 no = owned[2 + 2 * (place % MARKETS)];
        uint256 legal = amount % ((yes < no ? yes : no) + 1);
        snapshot();
        if (signed) {
            bytes memory signature = signAmount(key, "MergePositions", id, legal);
            shares.mergePositionsBySig(trader, address(usd), id, legal, block.timestamp, signature);
            (bool again,) = address(shares).call(
                abi.encodeWithSignature(
                    "mergePositionsBySig(address,address,bytes32,uint256,uint256,bytes)",
                    trader, address(usd), id, legal, block.timestamp, signature
                )
            );
            require(!again, "a signature counted twice");
        } else {
            vm.prank(trader);
            shares.mergePositions(address(usd), 0, id, bothSets(), legal);
        }
        requireChange(trader, place % MARKETS, int256(legal), -int256(legal), -int256(legal));
        requireSpared(bitOf(key));
    }

    /// @dev Against the snapshot: exactly this, and nothing of any other market.
    function requireChange(address trader, uint256 place, int256 money, int256 yes, int256 no) private view {
        uint256[7] memory earlier = ownedBefore(trader);
        uint256[7] memory owned = ownedBy(trader);
        for (uint256 i; i < 7; ++i) {
            int256 change = i == 0 ? money : i == 1 + 2 * place ? yes : i == 2 + 2 * place ? no : int256(0);
            assertEq(owned[i], uint256(int256(earlier[i]) + change), "exact change");
        }
    }

    function give(uint256 from, uint256 to, uint8 place, bool no, uint64 amount) external {
        address sender = addressOf(1 + from % TRADERS);
        uint256 id = idOf(place % MARKETS, no ? NO : YES);
        uint256 legal = amount % (shares.balanceOf(sender, id) + 1);
        address receiver = addressOf(1 + to % TRADERS);
        uint256 earlier = shares.balanceOf(receiver, id);
        snapshot();
        vm.prank(sender);
        shares.safeTransferFrom(sender, receiver, id, legal, "");
        assertEq(shares.balanceOf(receiver, id), sender == receiver ? earlier : earlier + legal, "given");
        requireSpared(bitOf(1 + from % TRADERS));
    }

    /// @dev A stranger with no approval takes nothing by any path, and an exchange without one moves nothing.
    function steal(uint256 key, uint8 place, bool no) external {
        address victim = addressOf(1 + key % (TRADERS + 1));
        uint256 id = idOf(place % MARKETS, no ? NO : YES);
        snapshot();
        vm.prank(address(0xbad));
        (bool done,) = address(shares).call(
            abi.encodeCall(shares.safeTransferFrom, (victim, address(0xbad), id, 1, ""))
        );
        require(!done, "a stranger took shares");
        vm.prank(address(0xbad));
        shares.operatorTransfer(victim, address(0xbad), id, 1);
        bytes memory signature = signAmount(1 + key % TRADERS, "MergePositions", marketIds[0], 0);
        (done,) = address(shares).call(
            abi.encodeWithSignature(
                "mergePositionsBySig(address,address,bytes32,uint256,uint256,bytes)",
                addressOf(TRADERS + 1), address(usd), marketIds[0], 0, block.timestamp, signature
            )
        );
        require(!done, "somebody else's signature counted");
        requireSpared(0);
    }

    function toggleApproval(uint256 key, bool approvesShares, bool approvesMoney) external {
        address trader = addressOf(1 + key % TRADERS);
        vm.startPrank(trader);
        shares.setApprovalForAll(address(settlement), approvesShares);
        usd.approve(address(settlement), approvesMoney ? type(uint256).max : 2e6);
        vm.stopPrank();
    }

    // ---------------------------------------------------------------- leaving

    function cancel(uint256 key, uint64 nonce, bool signed) external {
        key = 1 + key % TRADERS;
        Order memory order = orderOf(key, nonce % NONCES);
        bytes32 place = keyOf(order.trader, order.marketId, order.nonce);
        bytes32 structHash = keccak256(
            abi.encode(CANCEL_TYPEHASH, order.trader, order.marketId, order.nonce, block.timestamp)
        );
        bytes memory signature = joined(signed ? key : key % TRADERS + 1, structHash);
        bool done;
        if (signed || nonce % 2 == 0) {
            (done,) = address(settlement).call(
                abi.encodeCall(
                    IPresageSettlement.requestCancelBySig,
                    (order.trader, order.marketId, order.nonce, block.timestamp, signature)
                )
            );
            require(done == (signed && cancelledFrom[place] == 0), "signed cancel");
        } else {
            vm.prank(order.trader);
            (done,) = address(settlement).call(
                abi.encodeCall(IPresageSettlement.requestCancel, (order.marketId, order.nonce))
            );
            require(done == (cancelledFrom[place] == 0), "cancel");
        }
        if (done) cancelledFrom[place] = block.timestamp + SHORT_GRACE;
    }

    function halt(uint256 key, bool signed, bool forged) external {
        if (key % 4 != 0) return;
        key = 1 + key / 4 % TRADERS;
        address trader = addressOf(key);
        bool isNew = haltedFrom[trader] == 0;
        bool done;
        if (signed) {
            bytes memory signature = joined(forged ? key % TRADERS + 1 : key, nonceHash(HALT_TYPEHASH, trader));
            (done,) = address(settlement).call(
                abi.encodeCall(IPresageSettlement.haltTradingBySig, (trader, block.timestamp, signature))
            );
            require(done == (isNew && !forged), "signed halt");
        } else {
            vm.prank(trader);
            (done,) = address(settlement).call(abi.encodeCall(IPresageSettlement.haltTrading, ()));
            require(done == isNew, "halt");
        }
        if (done) haltedFrom[trader] = block.timestamp + SHORT_GRACE;
    }

    function resume(uint256 key, bool signed, bool forged) external {
        key = 1 + key % TRADERS;
        address trader = addressOf(key);
        bool isHalted = haltedFrom[trader] != 0;
        bool done;
        if (signed) {
            bytes memory signature = joined(forged ? key % TRADERS + 1 : key, nonceHash(RESUME_TYPEHASH, trader));
            (done,) = address(settlement).call(
                abi.encodeCall(IPresageSettlement.resumeTradingBySig, (trader, block.timestamp, signature))
            );
            require(done == (isHalted && !forged), "signed resumption");
        } else {
            vm.prank(trader);
            (done,) = address(settlement).call(abi.encodeCall(IPresageSettlement.resumeTrading, ()));
            require(done == isHalted, "resumption");
        }
        if (done) haltedFrom[trader] = 0;
    }

    // ---------------------------------------------------------------- roles, time

    /// @dev Whoever holds no office changes nothing; while it is paused nothing settles.
    function pauseAndMeddle(uint8 office) external {
        address stranger = address(0xbad);
        vm.startPrank(stranger);
        requireRefused(abi.encodeCall(IPresageSettlement.pause, ()));
        requireRefused(abi.encodeCall(IPresageSettlement.unpause, ()));
        requireRefused(abi.encodeCall(settlement.grantRole, (settlement.OPERATOR_ROLE(), stranger)));
        requireRefused(abi.encodeCall(settlement.revokeRole, (settlement.OPERATOR_ROLE(), address(this))));
        requireRefused(abi.encodeCall(settlement.transferOwnership, (stranger)));
        requireRefused(abi.encodeCall(IPresageSettlement.acceptOperator, ()));
        requireRefused(abi.encodeCall(IPresageSettlement.setTreasury, (stranger)));
        requireRefused(abi.encodeCall(settlement.acceptOwnership, ()));
        requireRefused(abi.encodeCall(IPresageSettlement.settleBatch, (new bytes32[](0), "", "")));
        bytes memory part = abi.encodeCall(
            IPresageSettlement.moveAssets,
            (uint160(addressOf(1)), uint160(addressOf(2)), idOf(0, 0), 1, 1, 0, marketIds[0])
        );
        requireRefused(part);
        vm.stopPrank();
        address pauser = office % 2 == 0 ? address(this) : address(0x9a);
        vm.prank(pauser);
        settlement.pause();
        requireRefused(abi.encodeCall(IPresageSettlement.settleBatch, (new bytes32[](0), "", "")));
        vm.prank(address(0x9a));
        (bool done,) = address(settlement).call(abi.encodeCall(IPresageSettlement.unpause, ()));
        require(!done, "a pauser unpaused");
        settlement.unpause();
    }

    function requireRefused(bytes memory data) private {
        (bool done,) = address(settlement).call(data);
        require(!done, "somebody without the office did it");
    }

    function wait(uint16 duration) external {
        vm.warp(block.timestamp + 10 + duration % 120);
    }

    // ----------------------------------------------------------------

    function bothSets() internal pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }

    function nonceHash(bytes32 typehash, address trader) private view returns (bytes32) {
        return keccak256(abi.encode(typehash, trader, settlement.nonces(trader), block.timestamp));
    }

    function joined(uint256 key, bytes32 structHash) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = signFor(key, settlement.DOMAIN_SEPARATOR(), structHash);
        return abi.encodePacked(r, s, v);
    }

    function signAmount(uint256 key, string memory name, bytes32 id, uint256 amount) private view returns (bytes memory) {
        address owner = addressOf(key);
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(bytes(string.concat(name, AMOUNT_FIELDS))),
                owner,
                address(usd),
                id,
                amount,
                shares.nonces(owner),
                block.timestamp
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = signFor(key, shares.DOMAIN_SEPARATOR(), structHash);
        return abi.encodePacked(r, s, v);
    }
}
