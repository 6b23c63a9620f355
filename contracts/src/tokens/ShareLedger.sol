// Balances and approvals of an ERC-1155, with transfers that call receivers separate from those that never do.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1155, IERC1155Receiver} from "../interfaces/IERC1155.sol";

abstract contract ShareLedger is IERC1155 {
    mapping(uint256 id => mapping(address owner => uint256)) private _balances;
    mapping(address owner => mapping(address operator => bool)) public isApprovedForAll;

    function balanceOf(address owner, uint256 id) public view returns (uint256) {
        if (owner == address(0)) revert ZeroAddress();
        return _balances[id][owner];
    }

    function balanceOfBatch(address[] calldata owners, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory balances)
    {
        if (owners.length != ids.length) revert LengthMismatch();
        balances = new uint256[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            balances[i] = balanceOf(owners[i], ids[i]);
        }
    }

    function setApprovalForAll(address operator, bool approved) external {
        _setApproval(msg.sender, operator, approved);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data) external {
        _requireTransferAllowed(from, to);
        _debit(from, id, value);
        _credit(to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
        _askReceiver(from, to, id, value, data);
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external {
        if (ids.length != values.length) revert LengthMismatch();
        _requireTransferAllowed(from, to);
        for (uint256 i; i < ids.length; ++i) {
            _debit(from, ids[i], values[i]);
            _credit(to, ids[i], values[i]);
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
        _askReceiver(from, to, ids, values, data);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == 0xd9b67a26;
    }

    // ---------------------------------------------------------------- transfers that call no receiver

    function _setApproval(address owner, address operator, bool approved) internal {
        isApprovedForAll[owner][operator] = approved;
        emit ApprovalForAll(owner, operator, approved);
    }

    function _moveHeld(address from, address to, uint256 id, uint256 amount) internal returns (uint256) {
        (bytes32 fromSlot, bytes32 toSlot) = _balanceSlots(id, from, to);
        uint256 held = _load(fromSlot);
        if (held == 0) return 0;
        // Anyone can send shares to anyone: shares whose owner has not approved the sender must not prevent a mint.
        if (from != msg.sender && !isApprovedForAll[from][msg.sender]) return 0;
        if (to == address(0)) revert ZeroAddress();
        if (amount > held) amount = held;
        assembly ("memory-safe") {
            sstore(fromSlot, sub(held, amount))
            // The sum of balances never exceeds what was minted, and every mint is checked.
            sstore(toSlot, add(sload(toSlot), amount))
        }
        emit TransferSingle(msg.sender, from, to, id, amount);
        return amount;
    }

    /// @dev Where a mapping keeps `_balances[id][from]` and `_balances[id][to]`; the compiler would compute the first of them twice.
    function _balanceSlots(uint256 id, address from, address to)
        private
        pure
        returns (bytes32 fromSlot, bytes32 toSlot)
    {
        assembly ("memory-safe") {
            mstore(0x00, id)
            mstore(0x20, _balances.slot)
            mstore(0x20, keccak256(0x00, 0x40))
            mstore(0x00, from)
            fromSlot := keccak256(0x00, 0x40)
            mstore(0x00, to)
            toSlot := keccak256(0x00, 0x40)
        }
    }

    function _load(bytes32 slot) private view returns (uint256 word) {
        assembly ("memory-safe") {
            word := sload(slot)
        }
    }

    function _mintQuietly(address to, uint256 id, uint256 value) internal {
        if (to == address(0)) revert ZeroAddress();
        _credit(to, id, value);
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function _burn(address owner, uint256 id, uint256 value) internal {
        _debit(owner, id, value);
        emit TransferSingle(msg.sender, owner, address(0), id, value);
    }

    function _burnBatch(address owner, uint256[] memory ids, uint256 value) internal {
        for (uint256 i; i < ids.length; ++i) {
            _debit(owner, ids[i], value);
        }
        emit TransferBatch(msg.sender, owner, address(0), ids, _repeat(value, ids.length));
    }

    // ---------------------------------------------------------------- transfers that end by calling the receiver

    function _mint(address to, uint256 id, uint256 value) internal {
        _mintQuietly(to, id, value);
        _askReceiver(address(0), to, id, value, "");
    }

    function _mintBatch(address to, uint256[] memory ids, uint256 value) internal {
        if (to == address(0)) revert ZeroAddress();
        for (uint256 i; i < ids.length; ++i) {
            _credit(to, ids[i], value);
        }
        uint256[] memory values = _repeat(value, ids.length);
        emit TransferBatch(msg.sender, address(0), to, ids, values);
        _askReceiver(address(0), to, ids, values, "");
    }

    // ----------------------------------------------------------------

    function _requireTransferAllowed(address from, address to) private view {
        if (to == address(0)) revert ZeroAddress();
        if (from == msg.sender) return;
        if (!isApprovedForAll[from][msg.sender]) revert NotApproved();
    }

    function _debit(address owner, uint256 id, uint256 value) private {
        uint256 balance = _balances[id][owner];
        if (balance < value) revert InsufficientShares();
        unchecked {
            _balances[id][owner] = balance - value;
        }
    }

    function _credit(address owner, uint256 id, uint256 value) private {
        _balances[id][owner] += value;
    }

    function _askReceiver(address from, address to, uint256 id, uint256 value, bytes memory data) private {
        if (to.code.length == 0) return;
        bytes4 answer = IERC1155Receiver(to).onERC1155Received(msg.sender, from, id, value, data);
        if (answer != IERC1155Receiver.onERC1155Received.selector) revert ReceiverRefused();
    }

    function _askReceiver(
        address from,
        address to,
        uint256[] memory ids,
        uint256[] memory values,
        bytes memory data
    ) private {
        if (to.code.length == 0) return;
        bytes4 answer = IERC1155Receiver(to).onERC1155BatchReceived(msg.sender, from, ids, values, data);
        if (answer != IERC1155Receiver.onERC1155BatchReceived.selector) revert ReceiverRefused();
    }

    function _repeat(uint256 value, uint256 count) private pure returns (uint256[] memory values) {
        values = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            values[i] = value;
        }
    }
}
