// The body of ISignedOperations: one counter per signer, low-s signatures of plain accounts, the domain of the contract itself.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISignedOperations} from "../interfaces/ISignedOperations.sol";
import {ECDSA} from "solady/src/utils/ECDSA.sol";
import {EIP712} from "solady/src/utils/EIP712.sol";

abstract contract SignedOperations is ISignedOperations, EIP712 {
    mapping(address owner => uint256) public nonces;

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparator();
    }

    function _requireSigned(address owner, bytes32 structHash, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        internal
        view
    {
        if (block.timestamp > deadline) revert SignatureExpired();
        // The nonce already forbids replay; high s is refused so that one signature has one spelling everywhere.
        if (uint256(s) > ECDSA.N / 2) revert InvalidSignature();
        address signer = ECDSA.tryRecover(_hashTypedData(structHash), v, r, s);
        if (signer == address(0) || signer != owner) revert InvalidSignature();
    }
}
