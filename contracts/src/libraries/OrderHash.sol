// The EIP-712 struct hash of an order and the recovery of its signer.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order, Signature} from "../interfaces/IPresageSettlement.sol";
import {ECDSA} from "solady/src/utils/ECDSA.sol";

library OrderHash {
    bytes32 internal constant ORDER_TYPEHASH = keccak256(
        "Order(bytes32 marketId,address trader,uint8 side,uint8 outcome,uint64 price,uint64 size,uint64 nonce,uint64 expiration,address makerFeeRecipient)"
    );
    bytes32 private constant S_MASK = 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff;
    /// @dev Half of the curve's order: of the two signatures that every signer has for a message, only the low one is good.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @dev The nine calldata words of an order are exactly the words that EIP-712 hashes.
    function digestOf(Order calldata order, bytes32 domainSeparator) internal pure returns (bytes32 digest) {
        bytes32 typehash = ORDER_TYPEHASH;
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            mstore(pointer, typehash)
            calldatacopy(add(pointer, 0x20), order, 0x120)
            let structHash := keccak256(pointer, 0x140)
            mstore(pointer, hex"1901")
            mstore(add(pointer, 0x02), domainSeparator)
            mstore(add(pointer, 0x22), structHash)
            digest := keccak256(pointer, 0x42)
        }
    }

    function isSignedBy(bytes32 digest, Signature calldata signature, address signer) internal view returns (bool) {
        if (uint256(signature.vs & S_MASK) > MAX_S) return false;
        address recovered = ECDSA.tryRecover(digest, signature.r, signature.vs);
        return recovered != address(0) && recovered == signer;
    }
}
