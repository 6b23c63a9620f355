// Delays what the owner of the contracts may do: every call is announced first, so that whoever disagrees can leave in time.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IOwnerTimelock {
    error NotOwner();
    error NotSelf();
    error ZeroOwner();
    error AlreadyAnnounced(bytes32 id);
    error NotAnnounced(bytes32 id);
    error TooEarly(uint64 from);
    error TooLate(uint64 until);

    /// @param from the second from which the call can be carried out
    event CallAnnounced(bytes32 indexed id, address indexed target, bytes data, bytes32 salt, uint64 from);
    event CallWithdrawn(bytes32 indexed id);
    event CallExecuted(bytes32 indexed id);
    event OwnerChanged(address indexed owner);

    /// @notice Announces a call of a contract that this one owns.
    /// @param salt another one for the same call a second time
    function announce(address target, bytes calldata data, bytes32 salt) external returns (bytes32 id);
    function withdraw(bytes32 id) external;
    /// @notice Carries out what was announced, from DELAY after the announcement and for two weeks.
    function execute(address target, bytes calldata data, bytes32 salt) external returns (bytes memory result);

    /// @notice Accepts the ownership of a contract that was offered to this one; anyone may call this.
    function acceptOwnershipOf(address owned) external;
    /// @notice Names another owner of this contract; itself an announced call.
    function setOwner(address newOwner) external;

    function owner() external view returns (address);
    /// @notice The second from which a call can be carried out; zero if it is not announced.
    function executableFrom(bytes32 id) external view returns (uint64);
    function idOf(address target, bytes calldata data, bytes32 salt) external pure returns (bytes32);
    function DELAY() external view returns (uint64);
}
