// Transfers of a token that may fail, and may spend no more gas than they are given.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ITransferToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

library TokenCalls {
    function tryTransfer(address token, address to, uint256 amount, uint256 gasLimit) internal returns (bool) {
        return _try(token, abi.encodeCall(ITransferToken.transfer, (to, amount)), gasLimit);
    }

    /// @dev Into this contract.
    function tryCollect(address token, address from, uint256 amount, uint256 gasLimit) internal returns (bool) {
        return _try(token, abi.encodeCall(ITransferToken.transferFrom, (from, address(this), amount)), gasLimit);
    }

    /// @dev Success is a return value of true, or none at all of a contract that exists.
    function _try(address token, bytes memory data, uint256 gasLimit) private returns (bool done) {
        assembly ("memory-safe") {
            done := call(gasLimit, token, 0, add(data, 0x20), mload(data), 0x00, 0x20)
            let isTrue := and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))
            let isSilent := and(iszero(returndatasize()), iszero(iszero(extcodesize(token))))
            done := and(done, or(isTrue, isSilent))
        }
    }
}
