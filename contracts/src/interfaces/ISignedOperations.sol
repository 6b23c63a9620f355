// What every contract shares whose owners sign and anybody sends.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ISignedOperations {
    error SignatureExpired();
    error InvalidSignature();

    /// @notice The next nonce of every signed operation of `owner` in this contract, one counter for all of them.
    function nonces(address owner) external view returns (uint256);

    function DOMAIN_SEPARATOR() external view returns (bytes32);
}
