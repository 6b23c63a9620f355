// Operations that an owner signs and anyone may send: the part common to all contracts that have them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Where a function takes `signature` as bytes, it is a key's 65 bytes r, s, v, or what an EIP-1271 wallet accepts for the
/// digest; the wallet is asked only if it has code and the key's signature does not match, with 150,000 gas.
interface ISignedOperations {
    error SignatureExpired();
    error InvalidSignature();

    /// @notice Whatever the owner signed for this nonce is void.
    event NonceInvalidated(address indexed owner, uint256 nonce);

    /// @notice Invalidates the sender's next signed operation, in case somebody has its signature, by using its nonce.
    function invalidateNonce() external;

    /// @notice The same for an owner who signed InvalidateNonce(owner, nonce, deadline).
    function invalidateNonceBySig(address owner, uint256 deadline, bytes calldata signature) external;

    /// @notice The next nonce of every signed operation of `owner` in this contract, one counter for all of them.
    function nonces(address owner) external view returns (uint256);

    function DOMAIN_SEPARATOR() external view returns (bytes32);
}
