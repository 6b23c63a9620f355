// Traders who leave without the operator: cancels, halts and revocations, by themselves or by signature.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement, Order} from "../../src/interfaces/IPresageSettlement.sol";
import {ISignedOperations} from "../../src/interfaces/ISignedOperations.sol";
import {FillCodes} from "../../src/libraries/FillCodes.sol";
import {TwoTraders} from "./TwoTraders.sol";
import {vm} from "./Vm.sol";

contract LeavingTest is TwoTraders {
    bytes32 private constant CANCEL_TYPEHASH =
        keccak256("CancelOrder(address trader,bytes32 marketId,uint64 orderNonce,uint256 deadline)");
    bytes32 private constant HALT_TYPEHASH = keccak256("HaltTrading(address trader,uint256 nonce,uint256 deadline)");
    bytes32 private constant RESUME_TYPEHASH = keccak256("ResumeTrading(address trader,uint256 nonce,uint256 deadline)");
    bytes32 private constant INVALIDATE_TYPEHASH =
        keccak256("InvalidateNonce(address owner,uint256 nonce,uint256 deadline)");
    bytes32 private constant APPROVAL_TYPEHASH =
        keccak256("SetApprovalForAll(address owner,address operator,bool approved,uint256 nonce,uint256 deadline)");
    uint64 private constant SIZE = 10e6;
    uint256 private constant DEADLINE = START + 1 days;

    function putTrade(uint64 nonce) private {
        Order memory buy = newOrder(BUYER, BUY, 500_000, SIZE, nonce);
        Order memory sell = newOrder(SELLER, SELL, 500_000, SIZE, nonce);
        (buy.expiration, sell.expiration) = (uint64(DEADLINE), uint64(DEADLINE));
        put(BUYER, buy);
        put(SELLER, sell);
        putFill(0, 1, 500_000, 1e6);
    }

    function sign(uint256 key, bytes32 domain, bytes32 structHash) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked("\x19\x01", domain, structHash)));
        return abi.encodePacked(r, s, v);
    }

    function signCancel(uint256 key, uint64 nonce) private view returns (bytes memory) {
        bytes32 structHash = keccak256(abi.encode(CANCEL_TYPEHASH, buyer, marketId, nonce, DEADLINE));
        return sign(key, settlement.DOMAIN_SEPARATOR(), structHash);
    }

    function signNonce(uint256 key, bytes32 typehash) private view returns (bytes memory) {
        bytes32 structHash = keccak256(abi.encode(typehash, buyer, settlement.nonces(buyer), DEADLINE));
        return sign(key, settlement.DOMAIN_SEPARATOR(), structHash);
    }

    // ---------------------------------------------------------------- one order

    function test_aSignedCancelIsTheSignersOwnCancel() public {
        settlement.requestCancelBySig(buyer, marketId, 7, DEADLINE, signCancel(BUYER, 7));
        assertEq(settlement.cancelEffectiveAfter(buyer, marketId, 7), START + GRACE, "effective after");
        vm.warp(START + GRACE);
        putTrade(7);
        expectCode(FillCodes.SETTLED);
        vm.warp(START + GRACE + 1);
        putTrade(7);
        expectCode(FillCodes.BUYER_CANCELLED);
    }

    function test_aSignedCancelIsTheSignersAloneAndForOneOrder() public {
        bytes memory signature = signCancel(SELLER, 7);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.requestCancelBySig(buyer, marketId, 7, DEADLINE, signature);
        signature = signCancel(BUYER, 7);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.requestCancelBySig(buyer, marketId, 8, DEADLINE, signature);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        settlement.requestCancelBySig(buyer, marketId, 7, DEADLINE, signature);
    }

    function test_aSignedCancelSentTwiceDoesNotPutItOff() public {
        bytes memory signature = signCancel(BUYER, 7);
        settlement.requestCancelBySig(buyer, marketId, 7, DEADLINE, signature);
        vm.warp(START + 10);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.CancelAlreadyRequested.selector, START + GRACE));
        settlement.requestCancelBySig(buyer, marketId, 7, DEADLINE, signature);
    }

    // ---------------------------------------------------------------- all orders

    function test_aHaltStopsEveryOrderAfterTheGraceAndNotBefore() public {
        vm.prank(buyer);
        settlement.haltTrading();
        assertEq(settlement.haltEffectiveAfter(buyer), START + GRACE, "effective after");
        vm.warp(START + GRACE);
        putTrade(0);
        expectCode(FillCodes.SETTLED);
        vm.warp(START + GRACE + 1);
        putTrade(0);
        expectCode(FillCodes.BUYER_HALTED);
        putTrade(123);
        expectCode(FillCodes.BUYER_HALTED);
    }

    function test_aSellersHaltIsTheSellersCode() public {
        vm.prank(seller);
        settlement.haltTrading();
        vm.warp(START + GRACE + 1);
        putTrade(0);
        expectCode(FillCodes.SELLER_HALTED);
    }

    /// @dev Whoever holds a ResumeTrading that was never sent must not be able to undo a halt that came after it.
    function test_aWithheldResumeCannotUndoALaterHalt() public {
        vm.prank(buyer);
        settlement.haltTrading();
        bytes memory withheld = signNonce(BUYER, RESUME_TYPEHASH);
        vm.prank(buyer);
        settlement.resumeTrading();
        vm.prank(buyer);
        settlement.haltTrading();
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.resumeTradingBySig(buyer, DEADLINE, withheld);
        assertEq(settlement.haltEffectiveAfter(buyer), START + GRACE, "still halted");
    }

    /// @dev The filter has a bit for each value of the address's low six bits: none of them is overlooked.
    function test_aHaltCountsWhateverTheAddressEndsWith() public {
        uint256 seen;
        for (uint256 key = 1_000; seen != type(uint64).max && key < 2_000; ++key) {
            address trader = vm.addr(key);
            uint256 bit = 1 << (uint160(trader) & 63);
            if (seen & bit != 0) continue;
            seen |= bit;
            vm.warp(START);
            vm.prank(trader);
            settlement.haltTrading();
            vm.warp(START + GRACE + 1);
            Order memory buy = newOrder(key, BUY, 500_000, SIZE, 0);
            buy.expiration = uint64(DEADLINE);
            put(key, buy);
            put(SELLER, SELL, 500_000, SIZE, 0);
            putFill(0, 1, 500_000, 1e6);
            expectCode(FillCodes.BUYER_HALTED);
        }
        require(seen == type(uint64).max, "an ending was not tried");
    }

    /// @dev Sixty-four addresses fill the filter: whoever has not halted trades on.
    function test_strangersHaltsStopNobodyElse() public {
        for (uint160 i; i < 64; ++i) {
            vm.prank(address(0x1000 + i));
            settlement.haltTrading();
        }
        vm.warp(START + GRACE + 1);
        putTrade(0);
        expectCode(FillCodes.SETTLED);
    }

    function test_onlyTheTraderResumes() public {
        vm.prank(buyer);
        settlement.haltTrading();
        vm.warp(START + GRACE + 1);
        vm.expectRevert(IPresageSettlement.NotHalted.selector);
        settlement.resumeTrading();
        vm.prank(buyer);
        settlement.resumeTrading();
        assertEq(settlement.haltEffectiveAfter(buyer), 0, "resumed");
        putTrade(0);
        expectCode(FillCodes.SETTLED);
    }

    function test_aSecondHaltNeitherHastensNorPutsOffTheFirst() public {
        vm.prank(buyer);
        settlement.haltTrading();
        vm.warp(START + 10);
        vm.prank(buyer);
        vm.expectRevert(abi.encodeWithSelector(IPresageSettlement.AlreadyHalted.selector, START + GRACE));
        settlement.haltTrading();
    }

    function test_aSignedHaltAndASignedResumptionAreTheSigners() public {
        bytes memory stolen = signNonce(SELLER, HALT_TYPEHASH);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.haltTradingBySig(buyer, DEADLINE, stolen);
        bytes memory halt = signNonce(BUYER, HALT_TYPEHASH);
        settlement.haltTradingBySig(buyer, DEADLINE, halt);
        assertEq(settlement.haltEffectiveAfter(buyer), START + GRACE, "halted");
        stolen = signNonce(SELLER, RESUME_TYPEHASH);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.resumeTradingBySig(buyer, DEADLINE, stolen);
        bytes memory asHalt = signNonce(BUYER, HALT_TYPEHASH);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.resumeTradingBySig(buyer, DEADLINE, asHalt);
        settlement.resumeTradingBySig(buyer, DEADLINE, signNonce(BUYER, RESUME_TYPEHASH));
        assertEq(settlement.haltEffectiveAfter(buyer), 0, "resumed");
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.haltTradingBySig(buyer, DEADLINE, halt);
    }

    function test_aSignedHaltHasADeadline() public {
        bytes memory halt = signNonce(BUYER, HALT_TYPEHASH);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(ISignedOperations.SignatureExpired.selector);
        settlement.haltTradingBySig(buyer, DEADLINE, halt);
    }

    function test_aPausedSettlementTakesHaltsAndCancels() public {
        settlement.pause();
        settlement.requestCancelBySig(buyer, marketId, 7, DEADLINE, signCancel(BUYER, 7));
        settlement.haltTradingBySig(buyer, DEADLINE, signNonce(BUYER, HALT_TYPEHASH));
        assertEq(settlement.haltEffectiveAfter(buyer), START + GRACE, "halted");
    }

    // ---------------------------------------------------------------- signatures taken back

    function test_aSignatureThatWasGivenAwayCanBeTakenBack() public {
        bytes memory halt = signNonce(BUYER, HALT_TYPEHASH);
        vm.prank(buyer);
        settlement.invalidateNonce();
        assertEq(settlement.nonces(buyer), 1, "nonce");
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        settlement.haltTradingBySig(buyer, DEADLINE, halt);
    }

    function test_anApprovalIsTakenBackBySignatureAndSoIsAnUnusedOne() public {
        bytes memory given = signApproval(true);
        bytes32 structHash = keccak256(abi.encode(INVALIDATE_TYPEHASH, buyer, shares.nonces(buyer), DEADLINE));
        bytes memory invalidation = sign(BUYER, shares.DOMAIN_SEPARATOR(), structHash);
        shares.invalidateNonceBySig(buyer, DEADLINE, invalidation);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.setApprovalForAllBySig(buyer, address(0xbad), true, DEADLINE, given);
        vm.expectRevert(ISignedOperations.InvalidSignature.selector);
        shares.invalidateNonceBySig(buyer, DEADLINE, invalidation);
        shares.setApprovalForAllBySig(buyer, address(0xbad), true, DEADLINE, signApproval(true));
        require(shares.isApprovedForAll(buyer, address(0xbad)), "given");
        shares.setApprovalForAllBySig(buyer, address(0xbad), false, DEADLINE, signApproval(false));
        require(!shares.isApprovedForAll(buyer, address(0xbad)), "taken back");
    }

    function signApproval(bool approved) private view returns (bytes memory) {
        bytes32 structHash = keccak256(
            abi.encode(APPROVAL_TYPEHASH, buyer, address(0xbad), approved, shares.nonces(buyer), DEADLINE)
        );
        return sign(BUYER, shares.DOMAIN_SEPARATOR(), structHash);
    }
}
