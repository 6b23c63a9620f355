// Implements IMarketOracle: the owner announces a replacement, and the old oracle's silence confirms it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IMarketOracle} from "../interfaces/IMarketOracle.sol";
import {IOptimisticOracle} from "../interfaces/IOptimisticOracle.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";

/// @dev What UMA's oracle remembers of its list of tokens.
interface IUmaTokens {
    function syncUmaParams(bytes32 identifier, address currency) external;
    function cachedCurrencies(address currency) external view returns (bool isWhitelisted, uint256 finalFee);
}

contract MarketOracle is IMarketOracle, OwnedRoles {
    uint64 public constant REPLACEMENT_DELAY = 7 days;
    /// @dev Several times what any oracle needs to answer: with less, lack of gas would look like silence.
    uint256 private constant QUESTION_GAS = 1_000_000;

    address public immutable collateral;
    address public oracle;
    address public announced;
    uint64 public replaceableFrom;

    constructor(address initialOwner, address collateral_, address oracle_) OwnedRoles(initialOwner) {
        collateral = collateral_;
        oracle = oracle_;
        emit OracleReplaced(address(0), oracle_);
    }

    function announceReplacement(address replacement) external onlyOwner {
        if (replacement != address(0) && replacement.code.length == 0) revert NotAnOracle(replacement);
        announced = replacement;
        replaceableFrom = uint64(block.timestamp) + REPLACEMENT_DELAY;
        emit ReplacementAnnounced(replacement, replaceableFrom);
    }

    function replace() external {
        address replacement = announced;
        if (replacement == address(0)) revert NothingAnnounced();
        if (block.timestamp < replaceableFrom) revert TooEarlyToReplace(replaceableFrom);
        if (serves()) revert OracleStillServes();
        emit OracleReplaced(oracle, replacement);
        (oracle, announced) = (replacement, address(0));
    }

    function serves() public returns (bool) {
        if (gasleft() < QUESTION_GAS) revert NotEnoughGas();
        (bool isThere, bytes memory identifier) = _ask(abi.encodeCall(IOptimisticOracle.defaultIdentifier, ()));
        (bool hasBond,) = _ask(abi.encodeCall(IOptimisticOracle.getMinimumBond, (collateral)));
        if (!isThere || !hasBond) return false;
        // Only UMA's oracle knows these; ours takes one token for ever.
        bytes memory sync = abi.encodeCall(IUmaTokens.syncUmaParams, (abi.decode(identifier, (bytes32)), collateral));
        (bool isSynced,) = oracle.call(sync);
        if (!isSynced) return true;
        (bool isListed, bytes memory known) = _ask(abi.encodeCall(IUmaTokens.cachedCurrencies, (collateral)));
        return !isListed || abi.decode(known, (uint256)) != 0;
    }

    /// @return isAnswered whether at least one word came back
    function _ask(bytes memory question) private view returns (bool isAnswered, bytes memory answer) {
        (isAnswered, answer) = oracle.staticcall(question);
        isAnswered = isAnswered && answer.length >= 32;
    }
}
