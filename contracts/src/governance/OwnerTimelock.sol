// Implements IOwnerTimelock: one owner, one delay, no exceptions.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOwnedRoles} from "../interfaces/IOwnedRoles.sol";
import {IOwnerTimelock} from "../interfaces/IOwnerTimelock.sol";

contract OwnerTimelock is IOwnerTimelock {
    /// @dev An announced call that was forgotten must not come as a surprise years later.
    uint64 private constant EXECUTION_WINDOW = 14 days;

    uint64 public immutable DELAY;
    address public owner;
    mapping(bytes32 id => uint64) public executableFrom;

    constructor(address initialOwner, uint64 delay) {
        if (initialOwner == address(0)) revert ZeroOwner();
        owner = initialOwner;
        DELAY = delay;
        emit OwnerChanged(initialOwner);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    function announce(address target, bytes calldata data, bytes32 salt) external onlyOwner returns (bytes32 id) {
        id = idOf(target, data, salt);
        if (executableFrom[id] != 0) revert AlreadyAnnounced(id);
        uint64 from = uint64(block.timestamp) + DELAY;
        executableFrom[id] = from;
        emit CallAnnounced(id, target, data, salt, from);
    }

    function withdraw(bytes32 id) external onlyOwner {
        if (executableFrom[id] == 0) revert NotAnnounced(id);
        delete executableFrom[id];
        emit CallWithdrawn(id);
    }

    function execute(address target, bytes calldata data, bytes32 salt)
        external
        onlyOwner
        returns (bytes memory result)
    {
        bytes32 id = idOf(target, data, salt);
        uint64 from = executableFrom[id];
        if (from == 0) revert NotAnnounced(id);
        if (block.timestamp < from) revert TooEarly(from);
        if (block.timestamp > from + EXECUTION_WINDOW) revert TooLate(from + EXECUTION_WINDOW);
        delete executableFrom[id];
        emit CallExecuted(id);
        bool isDone;
        (isDone, result) = target.call(data);
        if (isDone) return result;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    function acceptOwnershipOf(address owned) external {
        IOwnedRoles(owned).acceptOwnership();
    }

    function setOwner(address newOwner) external {
        if (msg.sender != address(this)) revert NotSelf();
        if (newOwner == address(0)) revert ZeroOwner();
        owner = newOwner;
        emit OwnerChanged(newOwner);
    }

    function idOf(address target, bytes calldata data, bytes32 salt) public pure returns (bytes32) {
        return keccak256(abi.encode(target, data, salt));
    }
}
