// Who may settle and who may pause: one operator, transferred in two steps, and pausers who can pause but not unpause.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";

abstract contract SettlementRoles is IPresageSettlement, OwnedRoles {
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    uint256 private constant PAUSED = 1 << 160;
    uint256 private constant FILTER_SHIFT = 192;

    address public pendingOperator;
    /// @dev operator | paused << 160 | haltFilter << 192: everything a batch needs before its first order, in one slot.
    uint256 private _control;

    /// @return haltFilter see HaltedTraders
    function _requireOperator() internal view returns (uint256 haltFilter) {
        uint256 control = _control;
        if (address(uint160(control)) != msg.sender) revert MissingRole(OPERATOR_ROLE, msg.sender);
        if (control & PAUSED != 0) revert SettlementPaused();
        return control >> FILTER_SHIFT;
    }

    function _addToHaltFilter(uint256 bit) internal {
        _control |= bit << FILTER_SHIFT;
    }

    // ---------------------------------------------------------------- the operator

    /// @dev The first operator is set at once; a later one must accept the role, so that it cannot go to a wrong address.
    function grantRole(bytes32 role, address account) public override onlyOwner {
        if (role != OPERATOR_ROLE) return super.grantRole(role, account);
        if (operator() != address(0)) {
            pendingOperator = account;
            emit OperatorOffered(account);
        } else {
            _setOperator(account);
        }
    }

    function acceptOperator() external {
        if (msg.sender != pendingOperator) revert NotPendingOperator();
        emit RoleRevoked(OPERATOR_ROLE, operator());
        _setOperator(msg.sender);
    }

    /// @dev Takes effect at once, in case a key is stolen, and also withdraws an offer.
    function revokeRole(bytes32 role, address account) public override onlyOwner {
        if (role != OPERATOR_ROLE) return super.revokeRole(role, account);
        if (account == pendingOperator) delete pendingOperator;
        if (account != operator()) return;
        _control &= ~uint256(type(uint160).max);
        emit RoleRevoked(role, account);
    }

    function hasRole(bytes32 role, address account) public view override returns (bool) {
        if (role == OPERATOR_ROLE) return account != address(0) && account == operator();
        return super.hasRole(role, account);
    }

    function operator() public view returns (address) {
        return address(uint160(_control));
    }

    function _setOperator(address account) private {
        _control = _control & ~uint256(type(uint160).max) | uint160(account);
        delete pendingOperator;
        emit RoleGranted(OPERATOR_ROLE, account);
    }

    // ---------------------------------------------------------------- pausing

    function _requirePauser() internal view {
        if (msg.sender != owner && !hasRole(PAUSER_ROLE, msg.sender)) revert MissingRole(PAUSER_ROLE, msg.sender);
    }

    function pause() external {
        _requirePauser();
        _control |= PAUSED;
        emit Paused(msg.sender);
    }

    function unpause() external onlyOwner {
        _control &= ~PAUSED;
        emit Unpaused(msg.sender);
    }

    function paused() external view returns (bool) {
        return _control & PAUSED != 0;
    }
}
