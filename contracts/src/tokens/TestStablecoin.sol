// The sandbox's stablecoin: six decimals, EIP-2612, and a faucet for anyone; it is worth nothing by design.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "solady/src/tokens/ERC20.sol";

contract TestStablecoin is ERC20 {
    /// @dev Name, version and symbol of the stablecoin that clients know, so that the same signatures work here.
    bytes32 private constant NAME_HASH = keccak256("USD Coin");
    bytes32 private constant VERSION_HASH = keccak256("2");

    function name() public pure override returns (string memory) {
        return "USD Coin";
    }

    function symbol() public pure override returns (string memory) {
        return "USDC";
    }

    function version() external pure returns (string memory) {
        return "2";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Gives anyone any amount: this token must never be used outside the sandbox.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _constantNameHash() internal pure override returns (bytes32) {
        return NAME_HASH;
    }

    function _versionHash() internal pure override returns (bytes32) {
        return VERSION_HASH;
    }

    /// @dev A default allowance would hide who allowed the settlement to take money.
    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}
