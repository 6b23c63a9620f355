// What our oracle adds to UMA's words: the arbitrator who decides disputes, and refusals that say why.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IArbitratedOracle {
    error ZeroAsserter();
    error ZeroDisputer();
    error CurrencyNotSupported(address currency);
    error IdentifierNotSupported(bytes32 identifier);
    error EscalationManagerNotSupported();
    error BondTooLow(uint256 bond, uint256 minimum);
    error AssertionExists(bytes32 assertionId);
    error UnknownAssertion(bytes32 assertionId);
    error AlreadyDisputed(address disputer);
    error WindowOver(uint64 expirationTime);
    error WindowStillOpen(uint64 expirationTime);
    error AlreadySettled(bytes32 assertionId);
    error NotSettled(bytes32 assertionId);
    error NotDisputed(bytes32 assertionId);
    error AwaitsArbitrator(bytes32 assertionId);
    error NotArbitrator();

    /// @notice Decides a dispute and settles it at once: both bonds go to whoever was right, without a fee.
    function arbitrate(bytes32 assertionId, bool truthful) external;

    function arbitrator() external view returns (address);
    function currency() external view returns (address);
    function minimumBond() external view returns (uint256);
}
