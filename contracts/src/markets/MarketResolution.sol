// Resolves a market after its expiration: proposals, disputes and settlement through an optimistic oracle, then the payouts.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {BondPayment} from "../interfaces/IMarketResolution.sol";
import {IMarketOracle} from "../interfaces/IMarketOracle.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {IOptimisticOracle} from "../interfaces/IOptimisticOracle.sol";
import {BondDrawing} from "../libraries/BondDrawing.sol";
import {ResolutionClaim} from "../libraries/ResolutionClaim.sol";
import {SignedOperations} from "../libraries/SignedOperations.sol";
import {MarketProposals, Proposal} from "./MarketProposals.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

abstract contract MarketResolution is MarketProposals, SignedOperations {
    bytes32 private constant PROPOSE_TYPEHASH = keccak256(
        "ProposeResolution(address market,address proposer,uint8 outcome,address payer,uint256 bond,uint32 round,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant SPONSORED_TYPEHASH =
        keccak256("ProposeResolution(address market,address proposer,bool outcome,uint256 nonce,uint256 deadline)");
    bytes32 private constant SETTLE_TYPEHASH =
        keccak256("SettleMarket(address market,address settler,uint8 winningOutcome,uint256 nonce,uint256 deadline)");
    /// @dev Neither YES nor NO: both pay one half.
    uint8 private constant HALF = 2;


    address public immutable settlement;
    address public immutable marketOracle;
    bool public immutable bondPermitRequired;
    uint64 public immutable VOID_DELAY;

    constructor(address settlement_, address marketOracle_, bool bondPermitRequired_, uint64 voidDelay) {
        settlement = settlement_;
        marketOracle = marketOracle_;
        bondPermitRequired = bondPermitRequired_;
        VOID_DELAY = voidDelay;
    }

    /// @dev Of an assertion that is not this market's, the oracle has nothing to say.
    modifier onlyOracleOf(bytes32 assertionId) {
        address judge = _proposals[assertionId].oracle;
        if (msg.sender != (judge == address(0) ? oracle() : judge)) revert NotOracle();
        if (judge != address(0)) _;
    }

    modifier onlySelf() {
        if (msg.sender != address(this)) revert OnlySelf();
        _;
    }

    function oracle() public view returns (address) {
        return IMarketOracle(marketOracle).oracle();
    }

    function bond() public view returns (uint256) {
        uint256 agreed = _agreedBond();
        uint256 least = IOptimisticOracle(oracle()).getMinimumBond(collateral);
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
        if (_isResolved) revert MarketAlreadyResolved();
        bytes32 assertionId = _next();
        if (assertionId == 0) revert NoAssertion();
        // Nothing was settled: the oracle says why.
        if (!_settleAll()) IOptimisticOracle(_proposals[assertionId].oracle).settleAssertion(assertionId);
    }

    function void() external {
        if (_isResolved) revert MarketAlreadyResolved();
        _settleAll();
        if (_isResolved) return;
        uint64 from = voidableFrom();
        if (block.timestamp < from) revert TooEarlyToVoid(from);
        _report(HALF);
        _markResolved(0, HALF);
    }

    function voidableFrom() public view returns (uint64) {
        uint64 since = expiration();
        return (since < _lastMove ? _lastMove : since) + VOID_DELAY;
    }

    // ---------------------------------------------------------------- for the oracle

    /// @dev If the report fails, for example for lack of gas, the assertion stays live and settle() reports it later; if the bond
    /// cannot be paid back, it stays here for its payer.
    function assertionResolvedCallback(bytes32 assertionId, bool assertedTruthfully) external onlyOracleOf(assertionId) {
        Proposal storage proposal = _proposals[assertionId];
        if (proposal.settled) return;
        proposal.settled = true;
        uint256 amount = proposal.bond;
        _keepBond(proposal.payer, amount, proposal.disputed ? 2 * amount : amount, assertedTruthfully);
        if (!assertedTruthfully) return _reject(assertionId);
        if (_isResolved || _isPreceded(assertionId)) return _close(assertionId);
        try this.reportResult(proposal.outcome) {
            _markResolved(assertionId, proposal.outcome);
        } catch {}
    }

    function assertionDisputedCallback(bytes32 assertionId) external onlyOracleOf(assertionId) {
        _proposals[assertionId].disputed = true;
        emit ResolutionDisputed(assertionId);
    }

    function reportResult(uint8 outcome) external onlySelf {
        _report(outcome);
    }

    // ----------------------------------------------------------------

    function _propose(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes memory signature,
        BondPayment calldata payment
    ) private returns (bytes32 assertionId) {
        uint32 round = _round + 1;
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
        if (payment.payer != proposer) _requireSponsor(payment.payer);
        address judge = oracle();
        assertionId = _assert(IOptimisticOracle(judge), outcome, round, amount, payment);
        _open(
            assertionId,
            Proposal({
                proposer: proposer,
                proposedAt: uint64(block.timestamp),
                round: round,
                payer: payment.payer,
                outcome: outcome,
                disputed: false,
                settled: false,
                oracle: judge,
                bond: amount
            })
        );
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
    function _assert(
        IOptimisticOracle judge,
        uint8 outcome,
        uint32 round,
        uint256 amount,
        BondPayment calldata payment
    ) private returns (bytes32) {
        BondDrawing.draw(collateral, payment, amount);
        SafeTransferLib.safeApproveWithRetry(collateral, address(judge), amount);
        (string memory asked, string memory rules,) = _texts();
        bytes32 id = marketId();
        return judge.assertTruth(
            ResolutionClaim.write(id, round, outcome, asked, rules),
            address(this),
            address(this),
            address(0),
            DISPUTE_WINDOW,
            collateral,
            amount,
            judge.defaultIdentifier(),
            id
        );
    }

    function _settleSigned(address settler, uint8 winningOutcome, uint256 deadline, bytes memory signature) private {
        bytes32 structHash = keccak256(
            abi.encode(SETTLE_TYPEHASH, address(this), settler, winningOutcome, nonces[settler]++, deadline)
        );
        _requireSigned(settler, structHash, deadline, signature);
        if (_isResolved) revert MarketAlreadyResolved();
        bytes32 assertionId = winningOutcome < OUTCOMES ? _live[winningOutcome] : bytes32(0);
        if (assertionId == 0) revert OutcomeDiffers(_requireNext());
        if (!_settleAll()) IOptimisticOracle(_proposals[assertionId].oracle).settleAssertion(assertionId);
        uint8 result = resolution().proposedOutcome;
        if (!_isResolved) revert AssertionRejected(assertionId);
        if (result != winningOutcome) revert OutcomeDiffers(result);
    }

    /// @return isAny whether an assertion was settled
    function _settleAll() private returns (bool isAny) {
        for (uint8 outcome; outcome < OUTCOMES; ++outcome) {
            bytes32 assertionId = _live[outcome];
            if (assertionId != 0 && _trySettle(assertionId)) isAny = true;
        }
    }

    /// @dev An oracle that answers no more must not prevent the market from ending.
    function _trySettle(bytes32 assertionId) private returns (bool) {
        IOptimisticOracle judge = IOptimisticOracle(_proposals[assertionId].oracle);
        try judge.getAssertion(assertionId) returns (IOptimisticOracle.Assertion memory made) {
            if (!made.settled && !_callSettle(judge, assertionId, made)) return false;
        } catch {
            return false;
        }
        uint8 outcome = _proposals[assertionId].outcome;
        // The callback has done the rest, unless it lacked gas.
        if (_isResolved || _live[outcome] != assertionId) return true;
        if (!judge.getAssertionResult(assertionId)) {
            _reject(assertionId);
        } else if (_isPreceded(assertionId)) {
            _close(assertionId);
        } else {
            _report(outcome);
            _markResolved(assertionId, outcome);
        }
        return true;
    }

    function _callSettle(IOptimisticOracle judge, bytes32 assertionId, IOptimisticOracle.Assertion memory made)
        private
        returns (bool)
    {
        if (made.disputer == address(0) && block.timestamp < made.expirationTime) return false;
        // If it runs out of gas, the 64th part that is left is too little for what follows, so nothing is taken for stuck or void.
        try judge.settleAssertion(assertionId) {
            return true;
        } catch {
            return false;
        }
    }

    /// @dev Both or neither: a market must not have a result while its shares still trade.
    function _report(uint8 outcome) private {
        uint256[] memory payouts = new uint256[](2);
        if (outcome == HALF) (payouts[0], payouts[1]) = (1, 1);
        else payouts[outcome] = 1;
        IConditionalTokens(conditionalTokens).reportPayouts(questionId(), payouts);
        IPresageSettlement(settlement).closeMarket(marketId());
    }

    function _requireNext() private view returns (uint8 outcome) {
        bytes32 assertionId = _next();
        if (assertionId == 0) revert NoAssertion();
        return _proposals[assertionId].outcome;
    }

    /// @dev What can be settled is settled first. An assertion that the oracle cannot settle frees its outcome.
    function _requireProposable(uint8 outcome) private {
        if (outcome > HALF) revert NoSuchOutcome(outcome);
        if (block.timestamp < expiration() && !earlyResolution()) revert MarketNotExpired();
        if (!_isResolved) _settleAll();
        if (_isResolved) revert MarketAlreadyResolved();
        bytes32 assertionId = _live[outcome];
        if (assertionId == 0) return;
        if (!_isStuck(assertionId)) revert AssertionUnderWay(assertionId);
        _close(assertionId);
        emit AssertionStuck(assertionId);
    }

    /// @dev A sponsor has one bond in a market at a time: proposers who risk nothing could draw one for each outcome.
    function _requireSponsor(address payer) private view {
        if (payer != msg.sender || bondPermitRequired) revert BondPayerNotAllowed(payer);
        for (uint8 outcome; outcome < OUTCOMES; ++outcome) {
            bytes32 assertionId = _live[outcome];
            Proposal storage proposal = _proposals[assertionId];
            bool isSponsored = assertionId != 0 && proposal.payer != proposal.proposer;
            if (isSponsored && !_isStuck(assertionId)) revert AssertionUnderWay(assertionId);
        }
    }
}
