// The sandbox's stablecoin: six decimals, EIP-2612, and a faucet that anyone may open; it is worth nothing by design.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "solady/src/tokens/ERC20.sol";

contract TestStablecoin is ERC20 {
    bytes32 private constant NAME_HASH = keccak256("Presage Test USD");

    function name() public pure override returns (string memory) {
        return "Presage Test USD";
    }

    function symbol() public pure override returns (string memory) {
        return "USDC";
    }

    function version() external pure returns (string memory) {
        return "1";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Gives anyone any amount: this token must never leave the sandbox.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _constantNameHash() internal pure override returns (bytes32) {
        return NAME_HASH;
    }

    /// @dev An allowance that nobody gave would blur who let the settlement draw money.
    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}
