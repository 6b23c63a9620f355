// Resolves a market after its expiration: proposals, disputes and settlement through an optimistic oracle, then the payouts.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {Resolution} from "../interfaces/IMarket.sol";
import {BondPayment, IMarketResolution} from "../interfaces/IMarketResolution.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {IOptimisticOracle} from "../interfaces/IOptimisticOracle.sol";
import {BondDrawing} from "../libraries/BondDrawing.sol";
import {ResolutionClaim} from "../libraries/ResolutionClaim.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";
import {MarketTerms} from "./MarketTerms.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketResolution is IMarketResolution, MarketTerms, SignedOperations {
    bytes32 private constant PROPOSE_TYPEHASH = keccak256(
        "ProposeResolution(address market,address proposer,uint8 outcome,address payer,uint256 bond,uint32 round,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant SPONSORED_TYPEHASH =
        keccak256("ProposeResolution(address market,address proposer,bool outcome,uint256 nonce,uint256 deadline)");
    bytes32 private constant SETTLE_TYPEHASH =
        keccak256("SettleMarket(address market,address settler,uint8 winningOutcome,uint256 nonce,uint256 deadline)");
    /// @dev Neither YES nor NO: both pay one half.
    uint8 private constant HALF = 2;

    uint64 public constant DISPUTE_WINDOW = 2 hours;
    address public immutable settlement;
    address public immutable oracle;
    bool public immutable bondPermitRequired;
    uint64 public immutable VOID_DELAY;

    Resolution internal _resolution;
    address public bondPayer;
    uint64 private _proposedAt;

    constructor(address settlement_, address oracle_, bool bondPermitRequired_, uint64 voidDelay) {
        settlement = settlement_;
        oracle = oracle_;
        bondPermitRequired = bondPermitRequired_;
        VOID_DELAY = voidDelay;
    }

    modifier onlyOracle() {
        if (msg.sender != oracle) revert NotOracle();
        _;
    }

    modifier onlySelf() {
        if (msg.sender != address(this)) revert OnlySelf();
        _;
    }

    function bond() public view returns (uint256) {
        uint256 agreed = _agreedBond();
        uint256 least = IOptimisticOracle(oracle).getMinimumBond(collateral);
        return agreed < least ? least : agreed;
    }

    // ---------------------------------------------------------------- for signers

    function proposeResolutionBySig(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId) {
        return _propose(proposer, outcome, deadline, _join(v, r, s), payment);
    }

    function proposeResolutionBySig(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes calldata signature,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId) {
        return _propose(proposer, outcome, deadline, signature, payment);
    }

    function settleBySig(
        address settler,
        uint8 winningOutcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _settleSigned(settler, winningOutcome, deadline, _join(v, r, s));
    }

    function settleBySig(address settler, uint8 winningOutcome, uint256 deadline, bytes calldata signature) external {
        _settleSigned(settler, winningOutcome, deadline, signature);
    }

    // ---------------------------------------------------------------- for anyone

    function settle() external {
        _settle(_requireAssertion());
    }

    function void() external {
        if (_resolution.resolved) revert MarketAlreadyResolved();
        uint64 from = voidableFrom();
        if (block.timestamp < from) revert TooEarlyToVoid(from);
        bytes32 assertionId = _resolution.assertionId;
        // A decision of the oracle is reported by settle(), however late.
        if (assertionId != 0 && IOptimisticOracle(oracle).getAssertion(assertionId).settled) {
            revert AssertionUnderWay(assertionId);
        }
        _resolution.proposedOutcome = HALF;
        _report();
        _markResolved(0);
    }

    function voidableFrom() public view returns (uint64) {
        return (_resolution.assertionId == 0 ? expiration() : _proposedAt) + VOID_DELAY;
    }

    function returnBond() external {
        _sendBond(bondPayer);
    }

    function withdrawBond(address to) external {
        if (msg.sender != bondPayer) revert NotBondPayer();
        _sendBond(to);
    }

    // ---------------------------------------------------------------- for the oracle

    /// @dev If the report fails, for example for lack of gas, the assertion stays open and settle() reports it later; if the bond
    /// cannot be paid back, it stays here for its payer.
    function assertionResolvedCallback(bytes32 assertionId, bool assertedTruthfully) external onlyOracle {
        if (assertedTruthfully) _tryReturnBond();
        if (!_isUnderWay(assertionId)) return;
        if (!assertedTruthfully) return _reject(assertionId);
        try this.reportResult() {
            _markResolved(assertionId);
        } catch {}
    }

    function assertionDisputedCallback(bytes32 assertionId) external onlyOracle {
        if (!_isUnderWay(assertionId)) return;
        _resolution.disputed = true;
        emit ResolutionDisputed(assertionId);
    }

    function reportResult() external onlySelf {
        _report();
    }

    // ----------------------------------------------------------------

    function _propose(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes memory signature,
        BondPayment calldata payment
    ) private returns (bytes32 assertionId) {
        uint32 round = _resolution.round + 1;
        uint256 amount = bond();
        // A proposer who does not want to pay signs the zero address: then a sponsor pays or nobody does.
        bytes32 structHash = keccak256(
            abi.encode(
                PROPOSE_TYPEHASH,
                address(this),
                proposer,
                outcome,
                payment.payer == proposer ? proposer : address(0),
                amount,
                round,
                nonces[proposer],
                deadline
            )
        );
        if (payment.payer != proposer && _isSponsoredFormSigned(proposer, outcome, deadline, signature)) {
            if (block.timestamp > deadline) revert SignatureExpired();
        } else {
            _requireSigned(proposer, structHash, deadline, signature);
        }
        nonces[proposer]++;
        _requireProposable(outcome);
        if (payment.payer != proposer && (payment.payer != msg.sender || bondPermitRequired)) {
            revert BondPayerNotAllowed(payment.payer);
        }
        assertionId = _assert(outcome, round, amount, payment);
        _resolution = Resolution({
            assertionId: assertionId,
            proposer: proposer,
            round: round,
            proposedOutcome: outcome,
            disputed: false,
            resolved: false
        });
        (bondPayer, _proposedAt) = (payment.payer, uint64(block.timestamp));
        uint64 disputableUntil = uint64(block.timestamp) + DISPUTE_WINDOW;
        emit ResolutionProposed(assertionId, proposer, payment.payer, outcome, round, disputableUntil);
    }

    /// @dev A proposer whose bond a sponsor pays may sign the short form without payer, bond and round: it cannot take money from
    /// them.
    function _isSponsoredFormSigned(address proposer, uint8 outcome, uint256 deadline, bytes memory signature)
        private
        view
        returns (bool)
    {
        if (outcome >= HALF) return false;
        bytes32 structHash = keccak256(
            abi.encode(SPONSORED_TYPEHASH, address(this), proposer, outcome == 0, nonces[proposer], deadline)
        );
        return _isSigned(proposer, structHash, signature);
    }

    /// @dev The market itself is the asserter: an oracle that cannot pay the asserter would never settle.
    function _assert(uint8 outcome, uint32 round, uint256 amount, BondPayment calldata payment)
        private
        returns (bytes32)
    {
        BondDrawing.draw(collateral, payment, amount);
        SafeTransferLib.safeApproveWithRetry(collateral, oracle, amount);
        (string memory asked, string memory rules,) = _texts();
        bytes32 id = marketId();
        return IOptimisticOracle(oracle).assertTruth(
            ResolutionClaim.write(id, round, outcome, asked, rules),
            address(this),
            address(this),
            address(0),
            DISPUTE_WINDOW,
            collateral,
            amount,
            IOptimisticOracle(oracle).defaultIdentifier(),
            id
        );
    }

    function _settleSigned(address settler, uint8 winningOutcome, uint256 deadline, bytes memory signature) private {
        bytes32 structHash = keccak256(
            abi.encode(SETTLE_TYPEHASH, address(this), settler, winningOutcome, nonces[settler]++, deadline)
        );
        _requireSigned(settler, structHash, deadline, signature);
        bytes32 assertionId = _requireAssertion();
        if (_resolution.proposedOutcome != winningOutcome) revert OutcomeDiffers(_resolution.proposedOutcome);
        _settle(assertionId);
        if (!_resolution.resolved) revert AssertionRejected(assertionId);
    }

    function _settle(bytes32 assertionId) private {
        IOptimisticOracle judge = IOptimisticOracle(oracle);
        if (!judge.getAssertion(assertionId).settled) judge.settleAssertion(assertionId);
        if (!_isUnderWay(assertionId)) return;
        if (!judge.getAssertionResult(assertionId)) return _reject(assertionId);
        _report();
        _markResolved(assertionId);
        _tryReturnBond();
    }

    /// @dev Both or neither: a market must not have a result while its shares still trade.
    function _report() private {
        IConditionalTokens(conditionalTokens).reportPayouts(questionId(), _payouts());
        IPresageSettlement(settlement).closeMarket(marketId());
    }

    function _tryReturnBond() private {
        try this.returnBond() {} catch {}
    }

    /// @dev This market never holds more than the bond of its last assertion and what that bond won.
    function _sendBond(address to) private {
        if (to == address(0)) revert NoAssertion();
        SafeTransferLib.safeTransferAll(collateral, to);
    }

    function _reject(bytes32 assertionId) private {
        _resolution = Resolution(0, address(0), _resolution.round, 0, false, false);
        emit ResolutionRejected(assertionId);
    }

    function _markResolved(bytes32 assertionId) private {
        _resolution.resolved = true;
        emit MarketResolved(assertionId, _resolution.proposedOutcome);
    }

    function _payouts() private view returns (uint256[] memory payouts) {
        payouts = new uint256[](2);
        uint8 outcome = _resolution.proposedOutcome;
        if (outcome == HALF) (payouts[0], payouts[1]) = (1, 1);
        else payouts[outcome] = 1;
    }

    function _isUnderWay(bytes32 assertionId) private view returns (bool) {
        return assertionId != 0 && assertionId == _resolution.assertionId && !_resolution.resolved;
    }

    function _requireAssertion() private view returns (bytes32 assertionId) {
        if (_resolution.resolved) revert MarketAlreadyResolved();
        assertionId = _resolution.assertionId;
        if (assertionId == 0) revert NoAssertion();
    }

    function _requireProposable(uint8 outcome) private view {
        if (outcome > HALF) revert NoSuchOutcome(outcome);
        if (_resolution.resolved) revert MarketAlreadyResolved();
        if (_resolution.assertionId != 0) revert AssertionUnderWay(_resolution.assertionId);
        if (block.timestamp < expiration()) revert MarketNotExpired();
    }
}
