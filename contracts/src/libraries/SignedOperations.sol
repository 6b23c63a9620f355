// Implements ISignedOperations: one nonce per signer, keys and EIP-1271 wallets, and the contract's EIP-712 domain.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISignedOperations} from "../interfaces/ISignedOperations.sol";
import {WalletSignatures} from "./WalletSignatures.sol";
import {ECDSA} from "solady/src/utils/ECDSA.sol";
import {EIP712} from "solady/src/utils/EIP712.sol";

abstract contract SignedOperations is ISignedOperations, EIP712 {
    bytes32 private constant INVALIDATE_TYPEHASH =
        keccak256("InvalidateNonce(address owner,uint256 nonce,uint256 deadline)");

    mapping(address owner => uint256) public nonces;

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparator();
    }

    function invalidateNonce() external {
        _invalidate(msg.sender);
    }

    function invalidateNonceBySig(address owner, uint256 deadline, bytes calldata signature) external {
        bytes32 structHash = keccak256(abi.encode(INVALIDATE_TYPEHASH, owner, nonces[owner], deadline));
        _requireSigned(owner, structHash, deadline, signature);
        _invalidate(owner);
    }

    function _invalidate(address owner) private {
        emit NonceInvalidated(owner, nonces[owner]++);
    }

    /// @dev A key's signature has 65 bytes and a low s, so it has one encoding only. A contract wallet may sign
    /// in any way it accepts; an account that has delegated its code signs with its key as before.
    function _requireSigned(address owner, bytes32 structHash, uint256 deadline, bytes memory signature) internal view {
        if (block.timestamp > deadline) revert SignatureExpired();
        if (!_isSigned(owner, structHash, signature)) revert InvalidSignature();
    }

    function _isSigned(address owner, bytes32 structHash, bytes memory signature) internal view returns (bool) {
        bytes32 digest = _hashTypedData(structHash);
        return _isSignedByKey(owner, digest, signature) || WalletSignatures.isValid(owner, digest, signature);
    }

    function _isSignedByKey(address owner, bytes32 digest, bytes memory signature) private view returns (bool) {
        if (signature.length != 65) return false;
        bytes32 r;
        bytes32 s;
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
        }
        if (uint256(s) > ECDSA.N / 2) return false;
        address signer = ECDSA.tryRecover(digest, uint8(signature[64]), r, s);
        return signer != address(0) && signer == owner;
    }

    function _join(uint8 v, bytes32 r, bytes32 s) internal pure returns (bytes memory) {
        return abi.encodePacked(r, s, v);
    }
}
