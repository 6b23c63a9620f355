// The test runner's cheat codes, as far as these tests use them.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 timestamp) external;
    function chainId(uint256 newChainId) external;
    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function deal(address account, uint256 balance) external;
    function load(address target, bytes32 slot) external view returns (uint256 word);
    function etch(address target, bytes calldata code) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata reason) external;
    function mockCall(address target, bytes calldata data, bytes calldata answer) external;
    function mockCallRevert(address target, bytes calldata data, bytes calldata reason) external;
    function clearMockedCalls() external;
    function assume(bool condition) external pure;
    function snapshotState() external returns (uint256 id);
    function revertToState(uint256 id) external returns (bool);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
