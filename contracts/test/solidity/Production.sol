// Deploys the very bytecode that ships: the runner lays each contract's creation code at an address, as if it were a contract's code.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../../src/interfaces/IConditionalTokens.sol";
import {IERC1155} from "../../src/interfaces/IERC1155.sol";
import {IMarketFactory} from "../../src/interfaces/IMarketFactory.sol";
import {IOwnedRoles} from "../../src/interfaces/IOwnedRoles.sol";
import {IPresageSettlement} from "../../src/interfaces/IPresageSettlement.sol";

interface Settlement is IPresageSettlement, IOwnedRoles {}

interface Shares is IConditionalTokens, IERC1155 {}

interface Factory is IMarketFactory, IOwnedRoles {}

interface Stablecoin {
    function mint(address to, uint256 amount) external;
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

library Production {
    // In the order in which solidity-runner.ts lays them.
    address private constant SETTLEMENT = address(0xc0de01);
    address private constant SHARES = address(0xc0de02);
    address private constant STABLECOIN = address(0xc0de03);
    address private constant MARKET = address(0xc0de04);
    address private constant FACTORY = address(0xc0de05);

    function deploySettlement(address owner, address collateral, address shares, uint256 grace)
        internal
        returns (Settlement)
    {
        return Settlement(deploy(SETTLEMENT, abi.encode(owner, collateral, shares, grace)));
    }

    function deployShares() internal returns (Shares) {
        return Shares(deploy(SHARES, ""));
    }

    function deployStablecoin() internal returns (Stablecoin) {
        return Stablecoin(deploy(STABLECOIN, ""));
    }

    function deployMarket(address shares, address collateral) internal returns (address) {
        return deploy(MARKET, abi.encode(shares, collateral));
    }

    function deployFactory(address owner, address market, address settlement, uint256 bond)
        internal
        returns (Factory)
    {
        return Factory(deploy(FACTORY, abi.encode(owner, market, settlement, bond)));
    }

    function deploy(address store, bytes memory arguments) private returns (address deployed) {
        bytes memory creation = bytes.concat(store.code, arguments);
        assembly ("memory-safe") {
            deployed := create(0, add(creation, 0x20), mload(creation))
            if iszero(deployed) {
                returndatacopy(0x00, 0x00, returndatasize())
                revert(0x00, returndatasize())
            }
        }
    }
}
