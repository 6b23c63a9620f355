// Transfers the stablecoin and shares of one fill, all or nothing, and reports which transfer failed.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {FillMoney} from "../libraries/FeeMath.sol";
import {FillCodes} from "../libraries/FillCodes.sol";
import {FillWords} from "../libraries/FillWords.sol";
import {SettledFillsLibrary} from "../libraries/SettledFills.sol";
import {TokenCalls} from "../libraries/TokenCalls.sol";
import {TransferBlame} from "../libraries/TransferBlame.sol";
import {TakerTill} from "./TakerTill.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract FillExecutor is TakerTill {
    /// @dev A mint on sale into empty balances takes 145,000; more than twice that leaves room for chains and tokens that cost more.
    uint256 internal constant FILL_GAS = 400_000;
    uint256 public constant MAX_FILLS = 100;
    /// @dev A call receives at most 63/64 of the gas; the rest restores the counters, reports the failure, closes the till, pays the
    /// treasury, and ends the batch with the event about what settled.
    uint256 internal constant CALL_GAS =
        FILL_GAS + FILL_GAS / 63 + 40_000 + 2 * TILL_GAS + MAX_FILLS * SettledFillsLibrary.GAS_PER_FILL;
    /// @dev A call that ran out of gas leaves its caller at most 1/64 of FILL_GAS; a call that reverts on purpose leaves far more.
    uint256 private constant GAS_RAN_OUT_BELOW = 8_000;

    function moveAssets(
        uint256 buyerAddress,
        uint256 sellerAddress,
        uint256 tokenId,
        uint256 size,
        uint256 money,
        uint256 terms,
        bytes32 marketId
    ) external returns (uint256 mintedAndLedgers) {
        if (msg.sender != address(this)) revert OnlySelf();
        (address buyer, address seller) = (address(uint160(buyerAddress)), address(uint160(sellerAddress)));
        uint256 minted;
        unchecked {
            minted = size - _moveHeldShares(seller, buyer, tokenId, size);
        }
        if (minted | FillMoney.wrap(money).kept() | (terms & FillWords.BOTH_LEDGERS) == 0) {
            _pull(buyer, seller, money, FillCodes.BUYER_FUNDS);
            return 0;
        }
        if (minted != 0 && terms & FillWords.MUST_NOT_MINT != 0) _reject(FillCodes.SELLER_WOULD_MINT);
        mintedAndLedgers = _payThroughThis(buyer, seller, minted, FillMoney.wrap(money), terms);
        if (minted == 0) return mintedAndLedgers;
        (address yesTo, address noTo) = terms & 1 == 0 ? (buyer, seller) : (seller, buyer);
        IConditionalTokens(conditionalTokens).splitTo(collateral, marketId, minted, yesTo, noTo);
        mintedAndLedgers |= minted;
    }

    /// @dev Calls `moveAssets` with FILL_GAS, or not at all. Assembly, because try/catch costs several times as much per fill.
    function _tryExecute(
        address buyer,
        address seller,
        uint256 tokenId,
        uint256 size,
        FillMoney money,
        uint256 terms,
        bytes32 marketId
    ) internal returns (uint8 code, uint256 mintedAndLedgers) {
        // The last point at which the batch can still stop without reverting.
        if (gasleft() < CALL_GAS) return (FillCodes.NOT_ATTEMPTED, 0);
        bytes4 selector = this.moveAssets.selector;
        bool settled;
        uint256 first;
        uint256 rejection;
        uint256 answerLength;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, selector)
            mstore(add(pointer, 0x04), buyer)
            mstore(add(pointer, 0x24), seller)
            mstore(add(pointer, 0x44), tokenId)
            mstore(add(pointer, 0x64), size)
            mstore(add(pointer, 0x84), money)
            mstore(add(pointer, 0xa4), terms)
            mstore(add(pointer, 0xc4), marketId)
            settled := call(FILL_GAS, address(), 0, pointer, 0xe4, 0x00, 0x24)
            first := mload(0x00)
            rejection := mload(0x04)
            answerLength := returndatasize()
        }
        if (settled) return (FillCodes.SETTLED, first);
        if (answerLength == 0) return (FillCodes.OUT_OF_GAS, 0);
        // Only `_reject` reverts with FillRejected: a token's revert data is never passed on.
        if (answerLength != 36 || bytes4(bytes32(first)) != FillRejected.selector) return (FillCodes.TOKEN_FAULT, 0);
        return (uint8(rejection), 0);
    }

    /// @dev The conditional tokens contract never reverts for what a fill asks of it.
    function _moveHeldShares(address seller, address buyer, uint256 tokenId, uint256 size)
        private
        returns (uint256 moved)
    {
        address shares = conditionalTokens;
        bytes4 selector = IConditionalTokens.operatorTransfer.selector;
        bool done;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, selector)
            mstore(add(pointer, 0x04), seller)
            mstore(add(pointer, 0x24), buyer)
            mstore(add(pointer, 0x44), tokenId)
            mstore(add(pointer, 0x64), size)
            done := and(eq(returndatasize(), 0x20), call(gas(), shares, 0, pointer, 0x84, 0x00, 0x20))
            moved := mload(0x00)
        }
        if (!done) _reject(FillCodes.TOKEN_FAULT);
    }

    /// @dev The buyer pays into this contract; the seller adds what a mint lacks, or receives what it leaves over; the fee stays. Each pays
    /// and is paid by its deposit or by its wallet. A bit that is wrong changes no result, since the wallet takes the ledger's place: it
    /// gives the operator no power over a wallet that a fill without the bit would not, and a trader who moves money between the two
    /// fails no fill.
    /// @return ledgers the bits of those whose ledger was used, where FillsSettled has them
    function _payThroughThis(address buyer, address seller, uint256 minted, FillMoney money, uint256 terms)
        private
        returns (uint256 ledgers)
    {
        (uint256 buyerBit, uint256 sellerBit) = (terms & FillWords.BUYER_LEDGER, terms & FillWords.SELLER_LEDGER);
        bool isByTill = terms & FillWords.BY_TILL != 0;
        if (!isByTill || buyerBit != 0) {
            if (_collect(buyer, money.buyerPays(), buyerBit, FillCodes.BUYER_FUNDS)) ledgers = SettledFillsLibrary.BUYER_LEDGER;
        }
        uint256 gets = money.sellerGets();
        bool isSellers;
        unchecked {
            if (gets < minted) isSellers = _collect(seller, minted - gets, sellerBit, FillCodes.SELLER_FUNDS);
            else if (gets > minted && (!isByTill || sellerBit != 0)) isSellers = _payOut(seller, gets - minted, sellerBit);
        }
        if (isSellers) ledgers |= SettledFillsLibrary.SELLER_LEDGER;
    }

    /// @return fromLedger whether the deposit of `from` paid, and not their wallet
    function _collect(address from, uint256 amount, uint256 ledgerBit, uint8 code) private returns (bool fromLedger) {
        if (ledgerBit != 0 && _debit(from, amount)) return true;
        _pull(from, address(this), amount, code);
    }

    /// @return intoLedger whether the deposit of `to` was paid, and not their wallet
    function _payOut(address to, uint256 amount, uint256 ledgerBit) private returns (bool intoLedger) {
        if (ledgerBit != 0 && _credit(to, amount)) return true;
        if (TokenCalls.tryTransfer(collateral, to, amount, gasleft())) return false;
        _reject(gasleft() < GAS_RAN_OUT_BELOW ? FillCodes.OUT_OF_GAS : TransferBlame.codeOfPayee(collateral, to));
    }

    /// @param code the code to report if `from` cannot pay
    function _pull(address from, address to, uint256 amount, uint8 code) private {
        if (SafeTransferLib.trySafeTransferFrom(collateral, from, to, amount)) return;
        // A call that ran out of gas says nothing about balances.
        if (gasleft() >= GAS_RAN_OUT_BELOW) code = _blame(from, to, amount, code);
        _reject(code);
    }

    /// @dev Nobody is blamed for a wallet that cannot pay while their deposit could: the operator did not name it.
    function _blame(address from, address to, uint256 amount, uint8 code) private returns (uint8 found) {
        found = TransferBlame.codeOf(collateral, from, to, amount, code);
        if (found >> 4 == code >> 4 && _depositedBy(from) >= amount) found = FillCodes.LEDGER_NOT_NAMED;
    }

    function _reject(uint8 code) private view {
        if (gasleft() < GAS_RAN_OUT_BELOW) code = FillCodes.OUT_OF_GAS;
        revert FillRejected(code);
    }
}
