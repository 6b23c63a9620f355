// Access control: one owner, transferred in two steps, and the roles that the owner grants and revokes.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IOwnedRoles {
    error NotOwner();
    error NotPendingOwner();
    error MissingRole(bytes32 role, address account);
    error ZeroOwner();

    event OwnershipTransferStarted(address indexed owner, address indexed pendingOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event RoleGranted(bytes32 indexed role, address indexed account);
    event RoleRevoked(bytes32 indexed role, address indexed account);

    function owner() external view returns (address);
    function pendingOwner() external view returns (address);
    function hasRole(bytes32 role, address account) external view returns (bool);

    /// @notice Offers the ownership; nothing changes until `newOwner` accepts. Offering to the zero address withdraws the offer.
    function transferOwnership(address newOwner) external;
    function acceptOwnership() external;
    function grantRole(bytes32 role, address account) external;
    function revokeRole(bytes32 role, address account) external;
}
