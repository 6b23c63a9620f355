// The part of UMA's OptimisticOracleV3 that markets use, unchanged, so that either contract can resolve a market.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IOptimisticOracle {
    struct EscalationManagerSettings {
        bool arbitrateViaEscalationManager;
        bool discardOracle;
        bool validateDisputers;
        address assertingCaller;
        address escalationManager;
    }

    struct Assertion {
        EscalationManagerSettings escalationManagerSettings;
        address asserter;
        uint64 assertionTime;
        bool settled;
        address currency;
        uint64 expirationTime;
        bool settlementResolution;
        bytes32 domainId;
        bytes32 identifier;
        uint256 bond;
        address callbackRecipient;
        address disputer;
    }

    event AssertionMade(
        bytes32 indexed assertionId,
        bytes32 domainId,
        bytes claim,
        address indexed asserter,
        address callbackRecipient,
        address escalationManager,
        address caller,
        uint64 expirationTime,
        address currency,
        uint256 bond,
        bytes32 indexed identifier
    );
    event AssertionDisputed(bytes32 indexed assertionId, address indexed caller, address indexed disputer);
    event AssertionSettled(
        bytes32 indexed assertionId,
        address indexed bondRecipient,
        bool disputed,
        bool settlementResolution,
        address settleCaller
    );

    /// @notice Asserts a claim; the bond is taken from the sender and returns to `asserter` if nobody disputes.
    function assertTruth(
        bytes calldata claim,
        address asserter,
        address callbackRecipient,
        address escalationManager,
        uint64 liveness,
        address currency,
        uint256 bond,
        bytes32 identifier,
        bytes32 domainId
    ) external returns (bytes32 assertionId);

    /// @notice Disputes a claim inside its window; an equal bond is taken from the sender and belongs to `disputer`.
    function disputeAssertion(bytes32 assertionId, address disputer) external;

    /// @notice Pays out the bonds and calls the callback recipient: after an undisputed window, or once the dispute is decided.
    function settleAssertion(bytes32 assertionId) external;

    /// @notice Settles if necessary, and returns whether the claim was true.
    function settleAndGetAssertionResult(bytes32 assertionId) external returns (bool);

    function getAssertion(bytes32 assertionId) external view returns (Assertion memory);
    /// @notice Whether the claim was true; reverts until it is settled.
    function getAssertionResult(bytes32 assertionId) external view returns (bool);
    function getMinimumBond(address currency) external view returns (uint256);
    function defaultIdentifier() external view returns (bytes32);
}

interface IOptimisticOracleCallbackRecipient {
    function assertionResolvedCallback(bytes32 assertionId, bool assertedTruthfully) external;
    function assertionDisputedCallback(bytes32 assertionId) external;
}
