// Reads the terms of a market, which are part of its own code.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IMarket} from "../interfaces/IMarket.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";

/// @dev Clones carry abi.encode(questionId, maker, expiration, bond, options, question, description, category) after their code: five times
/// cheaper than storage for the texts, and nobody can change it. The options are FeeTerms << 8 | early; the settlement charges the fees, and
/// here they only make the address depend on them.
abstract contract MarketTerms is IMarket {
    uint256 private constant FIXED_TERMS_LENGTH = 5 * 32;

    address public immutable conditionalTokens;
    address public immutable collateral;

    constructor(address conditionalTokens_, address collateral_) {
        conditionalTokens = conditionalTokens_;
        collateral = collateral_;
    }

    function marketId() public view virtual returns (bytes32) {
        return PositionIds.conditionId(address(this), questionId(), 2);
    }

    function questionId() public view returns (bytes32 id) {
        (id,,,,) = _fixedTerms();
    }

    function maker() external view returns (address account) {
        (, account,,,) = _fixedTerms();
    }

    function expiration() public view returns (uint64 timestamp) {
        (,, timestamp,,) = _fixedTerms();
    }

    function earlyResolution() public view returns (bool isAllowed) {
        return _options() & 1 != 0;
    }

    function question() external view returns (string memory text) {
        (text,,) = _texts();
    }

    function description() external view returns (string memory text) {
        (, text,) = _texts();
    }

    function category() external view returns (string memory text) {
        (,, text) = _texts();
    }

    /// @return FeeTerms << 8 | early, and the number of an event's outcomes << 128
    function _options() internal view returns (uint256) {
        (,,,, uint256 options) = _fixedTerms();
        return options;
    }

    function _agreedBond() internal view returns (uint256 amount) {
        (,,, amount,) = _fixedTerms();
    }

    function _texts() internal view returns (string memory, string memory, string memory) {
        (,,,,, string memory asked, string memory described, string memory sorted) = abi.decode(
            LibClone.argsOnClone(address(this)), (bytes32, address, uint64, uint256, uint256, string, string, string)
        );
        return (asked, described, sorted);
    }

    function _fixedTerms() private view returns (bytes32, address, uint64, uint256, uint256) {
        bytes memory terms = LibClone.argsOnClone(address(this), 0, FIXED_TERMS_LENGTH);
        return abi.decode(terms, (bytes32, address, uint64, uint256, uint256));
    }
}
