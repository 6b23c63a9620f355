// The sandbox's optimistic oracle: UMA's assertions, bonds and callbacks, with an arbitrator and a second instead of the vote.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IArbitratedOracle} from "../interfaces/IArbitratedOracle.sol";
import {IOptimisticOracle, IOptimisticOracleCallbackRecipient} from "../interfaces/IOptimisticOracle.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

/// @dev Every function writes its state before it transfers money or calls back, so that reentering gains nothing.
contract OptimisticOracle is IOptimisticOracle, IArbitratedOracle {
    bytes32 public constant defaultIdentifier = "ASSERT_TRUTH";

    /// @dev Several times what a transfer takes with any known token.
    uint256 private constant PAYMENT_GAS = 250_000;

    uint64 public constant ARBITRATION_DELAY = 3 days;
    uint64 public constant RETURN_DELAY = 10 days;

    address public immutable arbitrator;
    address public immutable secondArbitrator;
    address public immutable currency;
    uint256 public immutable minimumBond;

    mapping(bytes32 assertionId => Assertion) private _assertions;
    mapping(bytes32 assertionId => uint64) private _disputedAt;
    /// @dev Payments that the token refused.
    mapping(address account => uint256) public owed;

    constructor(address arbitrator_, address secondArbitrator_, address currency_, uint256 minimumBond_) {
        arbitrator = arbitrator_;
        secondArbitrator = secondArbitrator_;
        currency = currency_;
        minimumBond = minimumBond_;
    }

    function assertTruth(
        bytes calldata claim,
        address asserter,
        address callbackRecipient,
        address escalationManager,
        uint64 liveness,
        address bondCurrency,
        uint256 bond,
        bytes32 identifier,
        bytes32 domainId
    ) external returns (bytes32 assertionId) {
        if (asserter == address(0)) revert ZeroAsserter();
        if (bondCurrency != currency) revert CurrencyNotSupported(bondCurrency);
        if (identifier != defaultIdentifier) revert IdentifierNotSupported(identifier);
        if (escalationManager != address(0)) revert EscalationManagerNotSupported();
        if (bond < minimumBond) revert BondTooLow(bond, minimumBond);
        assertionId = keccak256(
            abi.encode(claim, bond, block.timestamp, liveness, bondCurrency, callbackRecipient, identifier, msg.sender)
        );
        Assertion storage assertion = _assertions[assertionId];
        if (assertion.asserter != address(0)) revert AssertionExists(assertionId);
        assertion.escalationManagerSettings.assertingCaller = msg.sender;
        assertion.asserter = asserter;
        assertion.assertionTime = uint64(block.timestamp);
        assertion.currency = bondCurrency;
        assertion.expirationTime = uint64(block.timestamp) + liveness;
        assertion.domainId = domainId;
        assertion.identifier = identifier;
        assertion.bond = bond;
        assertion.callbackRecipient = callbackRecipient;
        SafeTransferLib.safeTransferFrom(currency, msg.sender, address(this), bond);
        emit AssertionMade(
            assertionId,
            domainId,
            claim,
            asserter,
            callbackRecipient,
            escalationManager,
            msg.sender,
            assertion.expirationTime,
            bondCurrency,
            bond,
            identifier
        );
    }

    function disputeAssertion(bytes32 assertionId, address disputer) external {
        if (disputer == address(0)) revert ZeroDisputer();
        Assertion storage assertion = _known(assertionId);
        if (assertion.disputer != address(0)) revert AlreadyDisputed(assertion.disputer);
        if (block.timestamp >= assertion.expirationTime) revert WindowOver(assertion.expirationTime);
        assertion.disputer = disputer;
        _disputedAt[assertionId] = uint64(block.timestamp);
        SafeTransferLib.safeTransferFrom(currency, msg.sender, address(this), assertion.bond);
        address recipient = assertion.callbackRecipient;
        if (recipient != address(0)) {
            IOptimisticOracleCallbackRecipient(recipient).assertionDisputedCallback(assertionId);
        }
        emit AssertionDisputed(assertionId, msg.sender, disputer);
    }

    function arbitrate(bytes32 assertionId, bool truthful) external {
        Assertion storage assertion = _known(assertionId);
        bool isSecond = msg.sender == secondArbitrator && _hasWaited(assertionId, ARBITRATION_DELAY);
        if (msg.sender != arbitrator && !isSecond) revert NotArbitrator();
        if (assertion.disputer == address(0)) revert NotDisputed(assertionId);
        _settle(assertionId, assertion, truthful);
    }

    function settleAssertion(bytes32 assertionId) public {
        Assertion storage assertion = _known(assertionId);
        if (assertion.settled) revert AlreadySettled(assertionId);
        if (assertion.disputer != address(0)) {
            if (!_hasWaited(assertionId, RETURN_DELAY)) revert AwaitsArbitrator(assertionId);
            return _returnBonds(assertionId, assertion);
        }
        if (block.timestamp < assertion.expirationTime) revert WindowStillOpen(assertion.expirationTime);
        _settle(assertionId, assertion, true);
    }

    function settleAndGetAssertionResult(bytes32 assertionId) external returns (bool) {
        if (!_assertions[assertionId].settled) settleAssertion(assertionId);
        return getAssertionResult(assertionId);
    }

    function pay(address account, uint256 amount) external {
        if (msg.sender != address(this)) revert OnlySelf();
        SafeTransferLib.safeTransfer(currency, account, amount);
    }

    function payOwed(address account) external {
        _payOwed(account, account);
    }

    function withdrawOwed(address to) external {
        _payOwed(msg.sender, to);
    }

    function getAssertion(bytes32 assertionId) external view returns (Assertion memory) {
        return _assertions[assertionId];
    }

    function getAssertionResult(bytes32 assertionId) public view returns (bool) {
        Assertion storage assertion = _known(assertionId);
        if (!assertion.settled) revert NotSettled(assertionId);
        return assertion.settlementResolution;
    }

    function getMinimumBond(address bondCurrency) external view returns (uint256) {
        if (bondCurrency != currency) revert CurrencyNotSupported(bondCurrency);
        return minimumBond;
    }

    function _settle(bytes32 assertionId, Assertion storage assertion, bool truthful) private {
        if (assertion.settled) revert AlreadySettled(assertionId);
        assertion.settled = true;
        assertion.settlementResolution = truthful;
        bool disputed = assertion.disputer != address(0);
        address bondRecipient = truthful ? assertion.asserter : assertion.disputer;
        _pay(bondRecipient, disputed ? 2 * assertion.bond : assertion.bond);
        _callBack(assertionId, assertion, truthful);
        emit AssertionSettled(assertionId, bondRecipient, disputed, truthful, msg.sender);
    }

    /// @dev Nobody decided: the claim is not confirmed, and nobody pays for it. The asserter's bond is sent, not owed: a market
    /// could not tell a debt from a lost bond.
    function _returnBonds(bytes32 assertionId, Assertion storage assertion) private {
        assertion.settled = true;
        SafeTransferLib.safeTransfer(currency, assertion.asserter, assertion.bond);
        _pay(assertion.disputer, assertion.bond);
        _callBack(assertionId, assertion, false);
        emit AssertionSettled(assertionId, assertion.disputer, true, false, msg.sender);
    }

    function _callBack(bytes32 assertionId, Assertion storage assertion, bool truthful) private {
        address recipient = assertion.callbackRecipient;
        if (recipient == address(0)) return;
        IOptimisticOracleCallbackRecipient(recipient).assertionResolvedCallback(assertionId, truthful);
    }

    function _hasWaited(bytes32 assertionId, uint64 delay) private view returns (bool) {
        uint64 since = _disputedAt[assertionId];
        return since != 0 && block.timestamp >= since + delay;
    }

    /// @dev An account that cannot be paid must not block the settlement.
    function _pay(address account, uint256 amount) private {
        if (gasleft() < PAYMENT_GAS) revert NotEnoughGas();
        try this.pay(account, amount) {}
        catch {
            owed[account] += amount;
            emit PaymentOwed(account, amount);
        }
    }

    function _payOwed(address account, address to) private {
        uint256 amount = owed[account];
        owed[account] = 0;
        SafeTransferLib.safeTransfer(currency, to, amount);
    }

    function _known(bytes32 assertionId) private view returns (Assertion storage assertion) {
        assertion = _assertions[assertionId];
        if (assertion.asserter == address(0)) revert UnknownAssertion(assertionId);
    }
}
