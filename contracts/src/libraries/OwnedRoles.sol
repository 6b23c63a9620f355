// Implements IOwnedRoles: no one-step transfer and no renouncing, so ownership cannot be lost by mistake.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IOwnedRoles} from "../interfaces/IOwnedRoles.sol";

abstract contract OwnedRoles is IOwnedRoles {
    address public owner;
    address public pendingOwner;
    mapping(bytes32 role => mapping(address account => bool)) private _members;

    constructor(address initialOwner) {
        if (initialOwner == address(0)) revert ZeroOwner();
        owner = initialOwner;
        emit OwnershipTransferred(address(0), initialOwner);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    modifier onlyRole(bytes32 role) {
        if (!_members[role][msg.sender]) revert MissingRole(role, msg.sender);
        _;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        pendingOwner = newOwner;
        emit OwnershipTransferStarted(owner, newOwner);
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotPendingOwner();
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        delete pendingOwner;
    }

    function grantRole(bytes32 role, address account) public virtual onlyOwner {
        _members[role][account] = true;
        emit RoleGranted(role, account);
    }

    function revokeRole(bytes32 role, address account) public virtual onlyOwner {
        _members[role][account] = false;
        emit RoleRevoked(role, account);
    }

    function hasRole(bytes32 role, address account) public view virtual returns (bool) {
        return _members[role][account];
    }
}
