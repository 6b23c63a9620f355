// What the sandbox's oracle adds to UMA's interface: the arbitrators who decide disputes, and named errors.
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
    error OnlySelf();
    /// @dev With less gas than this a payment could run out of gas and look as if the token refused it.
    error NotEnoughGas();

    /// @notice The token refused the payment; the amount is kept for the account.
    event PaymentOwed(address indexed account, uint256 amount);

    /// @notice Decides a dispute and settles it at once: both bonds go to whoever was right, without a fee. The second arbitrator may
    /// decide too once ARBITRATION_DELAY has passed since the dispute.
    /// @dev After RETURN_DELAY anyone may settle an assertion that neither has decided: it counts as not confirmed, and both bonds
    /// return to those who paid them.
    function arbitrate(bytes32 assertionId, bool truthful) external;

    /// @notice One payment, in a separate call that may fail; for this contract only.
    function pay(address account, uint256 amount) external;
    /// @notice Tries again to pay what is owed; anyone may call this.
    function payOwed(address account) external;
    /// @notice Sends what is owed to the sender to another address, in case the token refuses theirs.
    function withdrawOwed(address to) external;
    function owed(address account) external view returns (uint256);

    function arbitrator() external view returns (address);
    function secondArbitrator() external view returns (address);
    function ARBITRATION_DELAY() external view returns (uint64);
    function RETURN_DELAY() external view returns (uint64);
    function currency() external view returns (address);
    function minimumBond() external view returns (uint256);
}
