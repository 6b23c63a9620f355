// The resolution of a market or an event through an optimistic oracle, after its expiration.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOptimisticOracleCallbackRecipient} from "./IOptimisticOracle.sol";

interface IResolution is IOptimisticOracleCallbackRecipient {
    error MarketNotExpired();
    error MarketAlreadyResolved();
    error AssertionUnderWay(bytes32 assertionId);
    error NoAssertion();
    error NotOracle();
    /// @dev In a market neither YES (0) nor NO (1) nor one half each (2); in an event neither an index nor, as the last, an equal share for all.
    error NoSuchOutcome(uint8 outcome);
    error TooEarlyToVoid(uint64 from);
    /// @dev The oracle could not settle an assertion with the gas that it got, which says nothing of the assertion.
    error NotEnoughGas();
    error NoBond(address payer);
    error OnlySelf();
    /// @dev The payer is not the proposer, and is not the sender or must be the proposer.
    error BondPayerNotAllowed(address payer);
    /// @param available what the payer holds and allows this market to take
    error BondUnavailable(address payer, uint256 available, uint256 required);
    error OutcomeDiffers(uint8 winningOutcome);
    /// @dev The oracle rejected the assertion, so nobody can settle the market with its outcome.
    error AssertionRejected(bytes32 assertionId);

    event ResolutionProposed(
        bytes32 indexed assertionId,
        address indexed proposer,
        address indexed bondPayer,
        uint8 outcome,
        uint32 round,
        uint64 disputableUntil
    );
    event ResolutionDisputed(bytes32 indexed assertionId);
    /// @notice The oracle cannot settle the assertion, so its outcome is open to proposals again. If it settles after all, it counts.
    event AssertionStuck(bytes32 indexed assertionId);
    /// @notice The oracle found the assertion false: its outcome is open to proposals again, and no other outcome is assumed.
    event ResolutionRejected(bytes32 indexed assertionId);
    /// @param assertionId zero if the market was voided
    /// @param winningOutcome 2 if both outcomes pay one half
    event MarketResolved(bytes32 indexed assertionId, uint8 winningOutcome);

    /// @notice Asks the oracle to settle every live assertion that it can; anyone may call this once a dispute window has passed or a
    /// dispute is decided.
    /// @dev If the oracle has already settled and its callback could not report the payouts, this reports them.
    function settle() external;

    /// @notice Pays both outcomes one half, from voidableFrom() on: VOID_DELAY after the expiration, the last proposal and the last
    /// rejection. Whatever the oracle can settle is settled first, and a true assertion wins. So a market always ends, even if its
    /// oracle stops working.
    function void() external;
    function voidableFrom() external view returns (uint64);

    /// @notice Sends the bonds that came back, and what they won, to whoever paid them. Settlement already does this; use it if the
    /// token refused the transfer.
    function returnBond(address payer) external;
    /// @notice The same to another address, for a payer whose address the token refuses.
    function withdrawBond(address to) external;
    /// @notice What this market keeps for whoever paid bonds.
    function bondsOf(address payer) external view returns (uint256);
    /// @notice The live assertion of an outcome, or zero.
    function liveAssertion(uint8 outcome) external view returns (bytes32);

    /// @notice Reports the payouts; the oracle's callback calls it separately, so that all of it is undone if a part fails.
    function reportResult(uint8 outcome) external;

    /// @notice The settlement contract, which is notified of the result in the transaction that reports it.
    function settlement() external view returns (address);
    /// @notice The optimistic oracle: ours, or UMA's OptimisticOracleV3. Only it may call the callbacks, which never revert for it,
    /// since a revert would block the oracle's own settlement.
    function oracle() external view returns (address);
    /// @notice What names the oracle: see IMarketOracle.
    function marketOracle() external view returns (address);
    /// @notice Whether proposers must pay the bond themselves.
    function bondPermitRequired() external view returns (bool);
    /// @notice How long an assertion can be disputed, in seconds.
    function DISPUTE_WINDOW() external view returns (uint64);
    /// @notice How long after its proposal a disputed assertion that the oracle cannot settle is stuck, in seconds; an undisputed one
    /// is stuck after its window. Votes take less.
    function STUCK_DELAY() external view returns (uint64);
    /// @notice How long a market may stay undecided before anyone may void it, in seconds.
    function VOID_DELAY() external view returns (uint64);
}
