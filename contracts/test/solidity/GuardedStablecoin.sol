// A stablecoin as live ones are: only its issuer mints, and permits are signed for its name and version.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "solady/src/tokens/ERC20.sol";

contract GuardedStablecoin is ERC20 {
    address public immutable issuer;
    uint8 private immutable _decimals;
    /// @dev What it claims; permits are checked with version 2 whatever that is.
    bytes32 private immutable _claimedVersion;

    constructor(address issuer_, uint8 decimals_, bytes32 claimedVersion) {
        issuer = issuer_;
        _decimals = decimals_;
        _claimedVersion = claimedVersion;
    }

    function name() public pure override returns (string memory) {
        return "USD Coin";
    }

    function symbol() public pure override returns (string memory) {
        return "USDC";
    }

    function version() external view returns (string memory) {
        return string(abi.encodePacked(bytes1(_claimedVersion)));
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == issuer, "only the issuer mints");
        _mint(to, amount);
    }

    function _versionHash() internal pure override returns (bytes32) {
        return keccak256("2");
    }

    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}
