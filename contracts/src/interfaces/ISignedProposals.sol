// What signers do to resolve a market, or the event whose outcome it is: propose its result and settle it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISignedOperations} from "./ISignedOperations.sol";

/// @notice Who pays a bond, with their EIP-2612 permit for this market over bond(); a deadline of zero means that there is no permit.
/// @param payer the proposer, or the sender where bondPermitRequired is false; the bond returns to them
struct BondPayment {
    address payer;
    uint256 permitDeadline;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

interface ISignedProposals is ISignedOperations {
    /// @notice Asserts an outcome for `proposer`, who signed ProposeResolution(market, proposer, outcome, payer, bond, round, nonce,
    /// deadline): payer is the proposer, or zero where a sponsor pays; bond is bond(); round is one more than resolution().round.
    /// @dev A market has at most one live assertion for each outcome, so that none prevents another; the first that the oracle
    /// settles as true decides. An outcome whose assertion is stuck is free again: see STUCK_DELAY.
    /// @param outcome 0 asserts YES, 1 NO, which the market of an event's outcome refuses, 2 that all outcomes pay the same
    /// @param payment a permit that was already submitted by somebody else is fine: only the allowance counts
    function proposeResolutionBySig(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId);

    /// @notice The same, also for contract wallets.
    function proposeResolutionBySig(
        address proposer,
        uint8 outcome,
        uint256 deadline,
        bytes calldata signature,
        BondPayment calldata payment
    ) external returns (bytes32 assertionId);

    /// @notice Settles for `settler`, who signed SettleMarket(market, settler, winningOutcome, nonce, deadline).
    /// @dev Reverts unless the market is resolved with exactly that outcome.
    function settleBySig(
        address settler,
        uint8 winningOutcome,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    function settleBySig(address settler, uint8 winningOutcome, uint256 deadline, bytes calldata signature) external;
}
