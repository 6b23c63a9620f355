// Measures what a second transfer of a token in one transaction costs by itself, at the least.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IBareToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract BareTransfer {
    /// @notice The payer pays the payee and this contract, then this contract pays the payee: all accounts of the last transfer have been
    /// touched before, so that no other second transfer takes less.
    /// @return gasUsed by the last call alone
    function gasOfSecond(address token, address payer, address payee) external returns (uint256 gasUsed) {
        IBareToken(token).transferFrom(payer, payee, 1);
        IBareToken(token).transferFrom(payer, address(this), 2);
        bytes memory data = abi.encodeCall(IBareToken.transfer, (payee, 1));
        assembly ("memory-safe") {
            let before := gas()
            if iszero(call(gas(), token, 0, add(data, 0x20), mload(data), 0x00, 0x20)) { revert(0x00, 0x00) }
            gasUsed := sub(before, gas())
        }
    }
}
