// The market of one outcome of an event: signed messages name it, and the event decides.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MarketStatus, Resolution} from "./IMarket.sol";
import {ISignedProposals} from "./ISignedProposals.sol";

/// @dev A signed proposal says that this outcome has won (0) or that all outcomes of the event pay the same (2); a signed settlement settles
/// the event, and reverts unless this market has the signed result then.
interface IOutcomeMarket is ISignedProposals {
    /// @dev That an outcome has lost is no result of an event.
    error EventNeedsWinner();

    /// @notice The event's own: see IResolution.
    function settle() external;
    function void() external;

    /// @notice The contract of the event.
    function event_() external view returns (address);
    function index() external view returns (uint8);
    function name() external view returns (string memory);
    /// @notice The id under which this outcome is traded: see OutcomeIds.
    function marketId() external view returns (bytes32);
    function bond() external view returns (uint256);
    function bondPermitRequired() external view returns (bool);
    function expiration() external view returns (uint64);
    function status() external view returns (MarketStatus);
    /// @notice The event's resolution as this market sees it: 0 if its outcome is proposed or has won, 1 if another, 2 if all pay the same.
    function resolution() external view returns (Resolution memory);
}
