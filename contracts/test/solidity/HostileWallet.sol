// A wallet that stands by its orders while they are simulated and refuses them on chain, told apart by what the transaction pays.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

contract HostileWallet {
    uint256 private constant MUCH_GAS = 10_000_000;
    uint256 private _operatorFunds;
    bool private _readsGasPrice;

    /// @param operatorFunds what the operator has before the transaction; zero for a wallet that is honest for now
    function lieInWait(uint256 operatorFunds, bool readsGasPrice) external {
        (_operatorFunds, _readsGasPrice) = (operatorFunds, readsGasPrice);
    }

    function run(address target, bytes calldata data) external {
        (bool done,) = target.call(data);
        require(done, "failed");
    }

    /// @dev A simulation that pays nothing for gas is known by that; one that pays, by how much gas it has bought.
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (_operatorFunds == 0 || tx.gasprice == 0) return 0x1626ba7e;
        if (_readsGasPrice) return 0xffffffff;
        uint256 bought = (_operatorFunds - tx.origin.balance) / tx.gasprice;
        return bought > MUCH_GAS ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
