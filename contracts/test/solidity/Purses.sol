// Everybody in the invariants' world with all that they own, and the check that nobody lost what they did not sign away.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ResolutionFixture} from "./ResolutionFixture.sol";
import {vm} from "./Vm.sol";

abstract contract Purses is ResolutionFixture {
    uint256 public constant TRADERS = 5;
    uint256 public constant MARKETS = 3;
    /// @dev Approves everything and signs nothing.
    uint256 public constant BYSTANDER = 999;
    /// @dev Gets the fees, and does nothing.
    address internal constant TREASURY = address(0x7ea5);
    /// @dev What giveShares does not give away.
    address internal constant BIN = address(0xb1);

    bytes32[] public marketIds;
    address[] private _people;
    uint256[] private _ids;
    mapping(address person => uint256[7]) private _before;

    /// @dev Traders come first, so that place and bit of a trader follow from the key.
    function gather() internal {
        for (uint256 key = 1; key <= TRADERS; ++key) {
            _people.push(vm.addr(key));
        }
        _people.push(vm.addr(BYSTANDER));
        _people.push(vm.addr(SPONSOR));
        _people.push(vm.addr(DISPUTER));
        _people.push(BIN);
        _people.push(TREASURY);
    }

    function addMarket(bytes32 id) internal {
        marketIds.push(id);
        _ids.push(settlement.tokenIdOf(id, YES));
        _ids.push(settlement.tokenIdOf(id, NO));
    }

    function idOf(uint256 place, uint256 outcome) public view returns (uint256) {
        return _ids[2 * place + outcome];
    }

    /// @dev Of a trader; TRADERS + 1 gives the bystander. From a list, for deriving an address from a key is dear.
    function addressOf(uint256 key) internal view returns (address) {
        return _people[key - 1];
    }

    function bitOf(uint256 key) internal pure returns (uint256) {
        if (key == SPONSOR) return 1 << (TRADERS + 1);
        if (key == DISPUTER) return 1 << (TRADERS + 2);
        return 1 << (key - 1);
    }

    function snapshot() internal {
        for (uint256 i; i < _people.length; ++i) {
            _before[_people[i]] = ownedBy(_people[i]);
        }
    }

    /// @param signers bits of those who signed or sent something since the snapshot, and so may own less
    function requireSpared(uint256 signers) internal view {
        for (uint256 i; i < _people.length; ++i) {
            if (signers >> i & 1 == 1) continue;
            uint256[7] memory owned = ownedBy(_people[i]);
            for (uint256 j; j < owned.length; ++j) {
                require(owned[j] >= _before[_people[i]][j], "somebody lost what they did not sign away");
            }
        }
    }

    function supplyOf(uint256 place, uint256 outcome) public view returns (uint256 supply) {
        for (uint256 i; i < _people.length; ++i) {
            supply += shares.balanceOf(_people[i], idOf(place, outcome));
        }
    }

    /// @dev The stablecoin of all people and contracts of this world.
    function accountedStablecoin() external view returns (uint256 sum) {
        for (uint256 i; i < _people.length; ++i) {
            sum += usd.balanceOf(_people[i]);
        }
        sum += usd.balanceOf(address(shares)) + usd.balanceOf(address(oracle)) + usd.balanceOf(address(settlement));
    }

    function ownedBefore(address person) internal view returns (uint256[7] memory) {
        return _before[person];
    }

    function ownedBy(address person) internal view returns (uint256[7] memory owned) {
        owned[0] = usd.balanceOf(person);
        for (uint256 i; i < _ids.length; ++i) {
            owned[1 + i] = shares.balanceOf(person, _ids[i]);
        }
    }
}
