// One market: terms written into its own code, the oracle of its condition, and the state of its resolution.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IMarket, MarketStatus, Resolution} from "../interfaces/IMarket.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {EIP712} from "solady/src/utils/EIP712.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";

/// @dev Clones carry abi.encode(questionId, maker, expiration, bond, question, description, category) behind their code:
/// five times cheaper than storage for the texts, and beyond anybody's reach.
contract Market is IMarket, EIP712 {
    uint256 private constant FIXED_TERMS_LENGTH = 4 * 32;

    address public immutable conditionalTokens;
    address public immutable collateral;

    mapping(address signer => uint256) public nonces;
    Resolution internal _resolution;

    constructor(address conditionalTokens_, address collateral_) {
        conditionalTokens = conditionalTokens_;
        collateral = collateral_;
    }

    function marketId() public view returns (bytes32) {
        return PositionIds.conditionId(address(this), questionId(), 2);
    }

    function questionId() public view returns (bytes32 id) {
        (id,,,) = _fixedTerms();
    }

    function maker() external view returns (address account) {
        (, account,,) = _fixedTerms();
    }

    function expiration() public view returns (uint64 timestamp) {
        (,, timestamp,) = _fixedTerms();
    }

    function bond() external view returns (uint256 amount) {
        (,,, amount) = _fixedTerms();
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

    function resolution() external view returns (Resolution memory) {
        return _resolution;
    }

    /// @dev The conditional tokens, not this contract's memory of them, say whether a market is resolved.
    function status() external view returns (MarketStatus) {
        if (IConditionalTokens(conditionalTokens).payoutDenominator(marketId()) != 0) return MarketStatus.Resolved;
        if (_resolution.assertionId != 0) {
            return _resolution.disputed ? MarketStatus.Disputed : MarketStatus.Proposed;
        }
        return block.timestamp < expiration() ? MarketStatus.Open : MarketStatus.Expired;
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparator();
    }

    function _fixedTerms() internal view returns (bytes32, address, uint64, uint256) {
        bytes memory terms = LibClone.argsOnClone(address(this), 0, FIXED_TERMS_LENGTH);
        return abi.decode(terms, (bytes32, address, uint64, uint256));
    }

    function _texts() internal view returns (string memory, string memory, string memory) {
        (,,,, string memory asked, string memory described, string memory sorted) = abi.decode(
            LibClone.argsOnClone(address(this)), (bytes32, address, uint64, uint256, string, string, string)
        );
        return (asked, described, sorted);
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("PresageMarket", "1");
    }
}
