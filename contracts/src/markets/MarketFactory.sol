// Creates markets as deterministic clones and makes them tradable in the same transaction.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IMarket} from "../interfaces/IMarket.sol";
import {IMarketFactory} from "../interfaces/IMarketFactory.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {FeeMath, FeeTerms} from "../libraries/FeeMath.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";

/// @param early whether the market may be resolved before its expiration
struct MarketOptions {
    bool early;
    uint16 feeRateBps;
    uint16 makerShareBps;
}

contract MarketFactory is IMarketFactory, OwnedRoles {
    bytes32 public constant CREATOR_ROLE = keccak256("CREATOR_ROLE");
    /// @dev The texts become code, which a chain limits to 24 KB; pages that show them need them shorter.
    uint256 public constant MAX_QUESTION_LENGTH = 1_000;
    uint256 public constant MAX_DESCRIPTION_LENGTH = 10_000;
    uint256 public constant MAX_CATEGORY_LENGTH = 32;
    /// @dev Ten years: an expiration in milliseconds lies far beyond.
    uint64 public constant MAX_LIFETIME = 3_653 days;

    address public immutable marketImplementation;
    address public immutable settlement;

    uint256 public bond;
    mapping(address market => bool) public isMarket;
    mapping(bytes32 termsHash => uint256) private _counters;

    constructor(address initialOwner, address marketImplementation_, address settlement_, uint256 initialBond)
        OwnedRoles(initialOwner)
    {
        marketImplementation = marketImplementation_;
        settlement = settlement_;
        bond = initialBond;
        emit BondChanged(initialBond);
    }

    function createMarket(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) external onlyRole(CREATOR_ROLE) returns (bytes32 marketId, address market) {
        return _create(question, description, category, expiration, MarketOptions(false, 0, 0));
    }

    function createEarlyMarket(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) external onlyRole(CREATOR_ROLE) returns (bytes32 marketId, address market) {
        return _create(question, description, category, expiration, MarketOptions(true, 0, 0));
    }

    function createFeeMarket(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration,
        bool early,
        uint16 feeRateBps,
        uint16 makerShareBps
    ) external onlyRole(CREATOR_ROLE) returns (bytes32 marketId, address market) {
        MarketOptions memory options = MarketOptions(early, feeRateBps, makerShareBps);
        return _create(question, description, category, expiration, options);
    }

    function predictMarket(
        address creator,
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) external view returns (bytes32 marketId, address market, bytes32 questionId) {
        bytes32 termsHash = keccak256(abi.encode(creator, question, description, category, expiration));
        questionId = keccak256(
            abi.encode(creator, question, description, category, expiration, _counters[termsHash])
        );
        bytes memory terms = abi.encode(questionId, creator, expiration, bond, uint256(0), question, description, category);
        market = LibClone.predictDeterministicAddress(marketImplementation, terms, questionId, address(this));
        marketId = PositionIds.conditionId(market, questionId, 2);
    }

    function setBond(uint256 newBond) external onlyOwner {
        bond = newBond;
        emit BondChanged(newBond);
    }

    function _create(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration,
        MarketOptions memory options
    ) private returns (bytes32 marketId, address market) {
        _checkTerms(question, description, category, expiration);
        bytes32 termsHash = keccak256(abi.encode(msg.sender, question, description, category, expiration));
        bytes32 questionId = keccak256(
            abi.encode(msg.sender, question, description, category, expiration, _counters[termsHash]++)
        );
        bytes memory terms =
            abi.encode(questionId, msg.sender, expiration, bond, _packed(options), question, description, category);
        market = LibClone.cloneDeterministic(marketImplementation, terms, questionId);
        isMarket[market] = true;
        marketId = _prepare(market, questionId);
        _announce(marketId, market, questionId, question, description, category, expiration, options);
        if (options.early) emit EarlyResolutionAllowed(marketId);
    }

    function _packed(MarketOptions memory options) private pure returns (uint256) {
        uint256 fees = FeeTerms.unwrap(FeeMath.toTerms(options.feeRateBps, options.makerShareBps));
        return fees << 8 | (options.early ? 1 : 0);
    }

    /// @dev Anyone may have prepared the condition before, since its id is predictable: that must not prevent the market.
    function _prepare(address market, bytes32 questionId) private returns (bytes32 marketId) {
        IConditionalTokens shares = IConditionalTokens(IMarket(marketImplementation).conditionalTokens());
        marketId = PositionIds.conditionId(market, questionId, 2);
        if (shares.getOutcomeSlotCount(marketId) == 0) shares.prepareCondition(market, questionId, 2);
    }

    function _announce(
        bytes32 marketId,
        address market,
        bytes32 questionId,
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration,
        MarketOptions memory options
    ) private {
        (uint256 yesTokenId, uint256 noTokenId) = IPresageSettlement(settlement)
            .registerMarket(marketId, expiration, options.feeRateBps, options.makerShareBps);
        emit MarketCreated(
            marketId,
            market,
            msg.sender,
            questionId,
            expiration,
            yesTokenId,
            noTokenId,
            bond,
            category,
            question,
            description
        );
    }

    function _checkTerms(
        string calldata question,
        string calldata description,
        string calldata category,
        uint64 expiration
    ) private view {
        if (expiration <= block.timestamp) revert ExpirationNotInFuture();
        uint64 latest = uint64(block.timestamp) + MAX_LIFETIME;
        if (expiration > latest) revert ExpirationTooFar(latest);
        uint256 length = bytes(question).length;
        if (length == 0 || length > MAX_QUESTION_LENGTH) revert QuestionLength(length);
        length = bytes(description).length;
        if (length > MAX_DESCRIPTION_LENGTH) revert DescriptionLength(length);
        length = bytes(category).length;
        if (length == 0 || length > MAX_CATEGORY_LENGTH) revert CategoryLength(length);
    }
}
