// A market's way from its expiration to its payouts: proposals, disputes and settlement at an optimistic oracle.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {Resolution} from "../interfaces/IMarket.sol";
import {BondPayment, IMarketResolution} from "../interfaces/IMarketResolution.sol";
import {IOptimisticOracle} from "../interfaces/IOptimisticOracle.sol";
import {BondDrawing} from "../libraries/BondDrawing.sol";
import {ResolutionClaim} from "../libraries/ResolutionClaim.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";
import {MarketTerms} from "./MarketTerms.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketResolution is IMarketResolution, MarketTerms, SignedOperations {
    bytes32 private constant PROPOSE_TYPEHASH =
        keccak256("ProposeResolution(address market,address proposer,bool outcome,uint256 nonce,uint256 deadline)");
    bytes32 private constant SETTLE_TYPEHASH =
        keccak256("SettleMarket(address market,address settler,uint8 winningOutcome,uint256 nonce,uint256 deadline)");
    uint8 private constant YES = 0;
    uint8 private constant NO = 1;

    uint64 public constant DISPUTE_WINDOW = 2 hours;
    address public immutable oracle;
    bool public immutable bondPermitRequired;

    Resolution internal _resolution;

    constructor(address oracle_, bool bondPermitRequired_) {
        oracle = oracle_;
        bondPermitRequired = bondPermitRequired_;
    }

    modifier onlyOracle() {
        if (msg.sender != oracle) revert NotOracle();
        _;
    }

    function bond() public view returns (uint256) {
        uint256 agreed = _agreedBond();
        uint256 least = IOptimisticOracle(oracle).getMinimumBond(collateral);
        return agreed < least ? least : agreed;
    }

    // ---------------------------------------------------------------- for signers and for anyone

    function proposeResolutionBySig(
        address proposer,
        bool outcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId) {
        bytes32 structHash = keccak256(
            abi.encode(PROPOSE_TYPEHASH, address(this), proposer, outcome, nonces[proposer]++, deadline)
        );
        _requireSigned(proposer, structHash, deadline, v, r, s);
        _requireProposable();
        if (payment.payer != proposer && (payment.payer != msg.sender || bondPermitRequired)) {
            revert BondPayerNotAllowed(payment.payer);
        }
        uint32 round = _resolution.round + 1;
        assertionId = _assert(outcome, round, payment);
        _resolution = Resolution({
            assertionId: assertionId,
            proposer: proposer,
            round: round,
            proposedOutcome: outcome ? YES : NO,
            disputed: false,
            resolved: false
        });
        uint64 disputableUntil = uint64(block.timestamp) + DISPUTE_WINDOW;
        emit ResolutionProposed(
            assertionId, proposer, payment.payer, outcome ? YES : NO, round, disputableUntil
        );
    }

    function settleBySig(
        address settler,
        uint8 winningOutcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash = keccak256(
            abi.encode(SETTLE_TYPEHASH, address(this), settler, winningOutcome, nonces[settler]++, deadline)
        );
        _requireSigned(settler, structHash, deadline, v, r, s);
        bytes32 assertionId = _requireAssertion();
        if (_resolution.proposedOutcome != winningOutcome) revert OutcomeDiffers(_resolution.proposedOutcome);
        _settle(assertionId);
        if (!_resolution.resolved) revert AssertionRejected(assertionId);
    }

    function settle() external {
        _settle(_requireAssertion());
    }

    // ---------------------------------------------------------------- for the oracle

    /// @dev Should the report fail, for want of gas say, the assertion stays under way and settle() makes it good.
    function assertionResolvedCallback(bytes32 assertionId, bool assertedTruthfully) external onlyOracle {
        if (!_isUnderWay(assertionId)) return;
        if (!assertedTruthfully) return _reject(assertionId);
        try IConditionalTokens(conditionalTokens).reportPayouts(questionId(), _payouts()) {
            _markResolved(assertionId);
        } catch {}
    }

    function assertionDisputedCallback(bytes32 assertionId) external onlyOracle {
        if (!_isUnderWay(assertionId)) return;
        _resolution.disputed = true;
        emit ResolutionDisputed(assertionId);
    }

    // ----------------------------------------------------------------

    function _assert(bool outcome, uint32 round, BondPayment calldata payment) private returns (bytes32) {
        uint256 amount = bond();
        BondDrawing.draw(collateral, payment, amount);
        SafeTransferLib.safeApproveWithRetry(collateral, oracle, amount);
        (string memory asked, string memory rules,) = _texts();
        bytes32 id = marketId();
        return IOptimisticOracle(oracle).assertTruth(
            ResolutionClaim.write(id, round, outcome, asked, rules),
            payment.payer,
            address(this),
            address(0),
            DISPUTE_WINDOW,
            collateral,
            amount,
            IOptimisticOracle(oracle).defaultIdentifier(),
            id
        );
    }

    function _settle(bytes32 assertionId) private {
        IOptimisticOracle judge = IOptimisticOracle(oracle);
        if (!judge.getAssertion(assertionId).settled) judge.settleAssertion(assertionId);
        if (!_isUnderWay(assertionId)) return;
        if (!judge.getAssertionResult(assertionId)) return _reject(assertionId);
        IConditionalTokens(conditionalTokens).reportPayouts(questionId(), _payouts());
        _markResolved(assertionId);
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
        payouts[_resolution.proposedOutcome] = 1;
    }

    function _isUnderWay(bytes32 assertionId) private view returns (bool) {
        return assertionId != 0 && assertionId == _resolution.assertionId && !_resolution.resolved;
    }

    function _requireAssertion() private view returns (bytes32 assertionId) {
        if (_resolution.resolved) revert MarketAlreadyResolved();
        assertionId = _resolution.assertionId;
        if (assertionId == 0) revert NoAssertion();
    }

    function _requireProposable() private view {
        if (_resolution.resolved) revert MarketAlreadyResolved();
        if (_resolution.assertionId != 0) revert AssertionUnderWay(_resolution.assertionId);
        if (block.timestamp < expiration()) revert MarketNotExpired();
    }
}
