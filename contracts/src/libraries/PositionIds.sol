// The identifiers of conditions, collections and positions, bit for bit those of Gnosis conditional tokens.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

library PositionIds {
    error InvalidParentCollection();

    /// @dev The field of alt_bn128, y^2 = x^3 + 3. P = 3 (mod 4), so a square root is a power of (P + 1) / 4.
    uint256 private constant P = 21888242871839275222246405745257275088696311157297823662689037894645226208583;
    uint256 private constant ROOT_EXPONENT = (P + 1) / 4;
    uint256 private constant ODD_BIT = 1 << 254;

    function conditionId(address oracle, bytes32 questionId, uint256 outcomeSlotCount)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encodePacked(oracle, questionId, outcomeSlotCount));
    }

    function positionId(address collateralToken, bytes32 collection) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(collateralToken, collection)));
    }

    /// @notice A collection is a curve point: the point of (condition, index set), added to its parent's.
    function collectionId(bytes32 parent, bytes32 condition, uint256 indexSet) internal view returns (bytes32) {
        (uint256 x, uint256 y) = _hashToPoint(condition, indexSet);
        if (parent != 0) {
            (uint256 parentX, uint256 parentY) = _decompress(parent);
            (x, y) = _add(x, y, parentX, parentY);
        }
        return bytes32(y & 1 == 1 ? x ^ ODD_BIT : x);
    }

    function _hashToPoint(bytes32 condition, uint256 indexSet) private view returns (uint256 x, uint256 y) {
        x = uint256(keccak256(abi.encodePacked(condition, indexSet)));
        uint256 parity = x >> 255;
        uint256 square;
        do {
            x = addmod(x, 1, P);
            square = _curve(x);
            y = _root(square);
        } while (mulmod(y, y, P) != square);
        if (y & 1 != parity) y = P - y;
    }

    function _decompress(bytes32 collection) private view returns (uint256 x, uint256 y) {
        // Any of the two top bits means odd, as in the original.
        uint256 parity = uint256(collection) >> 254 != 0 ? 1 : 0;
        x = (uint256(collection) << 2) >> 2;
        uint256 square = _curve(x);
        y = _root(square);
        if (y & 1 != parity) y = P - y;
        if (mulmod(y, y, P) != square) revert InvalidParentCollection();
    }

    function _curve(uint256 x) private pure returns (uint256) {
        return addmod(mulmod(x, mulmod(x, x, P), P), 3, P);
    }

    /// @dev square^((P + 1) / 4) by the modular exponentiation precompile.
    function _root(uint256 square) private view returns (uint256 root) {
        uint256 exponent = ROOT_EXPONENT;
        uint256 modulus = P;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, 0x20)
            mstore(add(pointer, 0x20), 0x20)
            mstore(add(pointer, 0x40), 0x20)
            mstore(add(pointer, 0x60), square)
            mstore(add(pointer, 0x80), exponent)
            mstore(add(pointer, 0xa0), modulus)
            if iszero(staticcall(gas(), 5, pointer, 0xc0, 0x00, 0x20)) { revert(0x00, 0x00) }
            root := mload(0x00)
        }
    }

    /// @dev Point addition by the alt_bn128 precompile, which refuses points off the curve.
    function _add(uint256 x1, uint256 y1, uint256 x2, uint256 y2) private view returns (uint256 x, uint256 y) {
        bool onCurve;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, x1)
            mstore(add(pointer, 0x20), y1)
            mstore(add(pointer, 0x40), x2)
            mstore(add(pointer, 0x60), y2)
            onCurve := staticcall(gas(), 6, pointer, 0x80, 0x00, 0x40)
            x := mload(0x00)
            y := mload(0x20)
        }
        if (!onCurve) revert InvalidParentCollection();
    }
}
