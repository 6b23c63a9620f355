// Asks a contract wallet whether it signed (EIP-1271), with limited gas and in a static call.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

library WalletSignatures {
    /// @dev A Safe with three owners takes 40,000; a passkey also takes less than this where the chain has the P-256 precompile.
    uint256 internal constant GAS = 150_000;
    /// @dev A longer one could make a batch run out of gas while copying it.
    uint256 internal constant MAX_LENGTH = 8_192;
    bytes4 private constant MAGIC = 0x1626ba7e;

    /// @param offset where the signature begins in calldata
    function isValidAt(address wallet, bytes32 digest, uint256 offset, uint256 length) internal view returns (bool) {
        if (length > MAX_LENGTH || wallet.code.length == 0) return false;
        uint256 pointer;
        assembly ("memory-safe") {
            pointer := mload(0x40)
            calldatacopy(add(pointer, 0x64), offset, length)
        }
        return _ask(wallet, digest, pointer, length);
    }

    function isValid(address wallet, bytes32 digest, bytes memory signature) internal view returns (bool) {
        uint256 length = signature.length;
        if (length > MAX_LENGTH || wallet.code.length == 0) return false;
        uint256 pointer;
        assembly ("memory-safe") {
            pointer := mload(0x40)
            mcopy(add(pointer, 0x64), add(signature, 0x20), length)
        }
        return _ask(wallet, digest, pointer, length);
    }

    /// @dev The signature is already at its place in the call data.
    function _ask(address wallet, bytes32 digest, uint256 pointer, uint256 length) private view returns (bool valid) {
        bytes4 magic = MAGIC;
        assembly ("memory-safe") {
            mstore(pointer, magic)
            mstore(add(pointer, 0x04), digest)
            mstore(add(pointer, 0x24), 0x40)
            mstore(add(pointer, 0x44), length)
            mstore(add(add(pointer, 0x64), length), 0)
            let size := add(0x64, and(add(length, 0x1f), not(0x1f)))
            let answered := staticcall(GAS, wallet, pointer, size, 0x00, 0x20)
            valid := and(and(answered, gt(returndatasize(), 0x1f)), eq(mload(0x00), magic))
        }
    }
}
