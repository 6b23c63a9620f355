// How a market is resolved through an optimistic oracle: the part of a market that acts after its expiration.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice An EIP-2612 permit for the bond; a deadline of zero says that none is given.
struct BondPermit {
    uint256 deadline;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

interface IMarketResolution {
    error MarketNotExpired();
    error MarketAlreadyResolved();
    error AssertionUnderWay(bytes32 assertionId);
    error NoAssertion();
    error NotOracle();
    error OutcomeDiffers(uint8 winningOutcome);
    error SignatureExpired();
    error InvalidSignature();

    event ResolutionProposed(
        bytes32 indexed assertionId,
        address indexed proposer,
        address indexed bondPayer,
        uint8 outcome,
        uint32 round,
        uint64 disputableUntil
    );
    event ResolutionDisputed(bytes32 indexed assertionId);
    /// @notice The oracle found the assertion false: the market is open to proposals again, and nothing is assumed of the opposite.
    event ResolutionRejected(bytes32 indexed assertionId);
    event MarketResolved(bytes32 indexed assertionId, uint8 winningOutcome);

    /// @notice Asserts an outcome for `proposer`, who signed ProposeResolution(market, proposer, outcome, nonce, deadline).
    /// @param outcome true asserts YES
    /// @param permit lets this market draw the bond from the proposer; without it the sender pays where that is allowed
    function proposeResolutionBySig(
        address proposer,
        bool outcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        BondPermit calldata permit
    ) external returns (bytes32 assertionId);

    /// @notice Settles for `settler`, who signed SettleMarket(market, settler, winningOutcome, nonce, deadline).
    function settleBySig(
        address settler,
        uint8 winningOutcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Asks the oracle to settle the assertion under way; anyone may, once the window has passed.
    function settle() external;

    /// @notice Called by the oracle alone; never reverts for it, since a revert would hold up the oracle's own settlement.
    function assertionResolvedCallback(bytes32 assertionId, bool assertedTruthfully) external;
    function assertionDisputedCallback(bytes32 assertionId) external;
}
