// Creates events as deterministic clones, and makes their outcomes tradable at once or in parts.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EventTerms, IEventFactory} from "../interfaces/IEventFactory.sol";
import {IEventMarket} from "../interfaces/IEventMarket.sol";
import {IMarket} from "../interfaces/IMarket.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {FeeMath, FeeTerms} from "../libraries/FeeMath.sol";
import {OutcomeIds} from "../libraries/OutcomeIds.sol";
import {OwnedRoles} from "../libraries/OwnedRoles.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";

contract EventFactory is IEventFactory, OwnedRoles {
    bytes32 public constant CREATOR_ROLE = keccak256("CREATOR_ROLE");
    /// @dev The terms of an event become code behind that of the clone, and a chain limits both together to 24,576 bytes. All texts at
    /// their greatest length would be longer: 128 names take up to 16,384 bytes.
    uint256 public constant MAX_TERMS_LENGTH = 24_500;
    uint256 public constant MAX_QUESTION_LENGTH = 1_000;
    uint256 public constant MAX_DESCRIPTION_LENGTH = 8_000;
    uint256 public constant MAX_CATEGORY_LENGTH = 32;
    uint256 public constant MAX_NAME_LENGTH = 64;
    /// @dev Ten years: an expiration in milliseconds lies far beyond.
    uint64 public constant MAX_LIFETIME = 3_653 days;

    address public immutable eventImplementation;
    address public immutable settlement;

    uint256 public bond;
    mapping(address market => bool) public isEvent;
    mapping(address market => uint256) public listedOutcomes;
    mapping(bytes32 termsHash => uint256) private _counters;

    constructor(address initialOwner, address eventImplementation_, address settlement_, uint256 initialBond)
        OwnedRoles(initialOwner)
    {
        eventImplementation = eventImplementation_;
        settlement = settlement_;
        bond = initialBond;
        emit BondChanged(initialBond);
    }

    function createEvent(EventTerms calldata terms, uint256 listed)
        external
        onlyRole(CREATOR_ROLE)
        returns (bytes32 eventId, address market)
    {
        _checkTerms(terms);
        bytes32 termsHash = keccak256(abi.encode(msg.sender, terms));
        // The same creations give the same ids after a reorganization, whatever else is created.
        bytes32 questionId = keccak256(abi.encode(msg.sender, terms, _counters[termsHash]++));
        market = LibClone.cloneDeterministic(eventImplementation, _argumentsOf(questionId, terms), questionId);
        isEvent[market] = true;
        IEventMarket(market).prepare();
        eventId = IMarket(market).marketId();
        emit EventCreated(eventId, market, msg.sender, questionId, bond, terms);
        _list(market, listed);
    }

    function listOutcomes(address market, uint256 count) external {
        if (!isEvent[market]) revert NotAnEvent(market);
        _list(market, count);
    }

    function setBond(uint256 newBond) external onlyOwner {
        bond = newBond;
        emit BondChanged(newBond);
    }

    function _list(address market, uint256 listed) private {
        bytes32 eventId = IMarket(market).marketId();
        uint64 expiration = IMarket(market).expiration();
        (uint16 rate, uint16 share) = IEventMarket(market).fees();
        uint256 count = IEventMarket(market).outcomeCount();
        uint256 index = listedOutcomes[market];
        uint256 end = listed < count - index ? index + listed : count;
        for (; index < end; ++index) {
            bytes32 marketId = OutcomeIds.marketId(eventId, index, count);
            address outcome = IEventMarket(market).openOutcome(index);
            (uint256 yes, uint256 no) = IPresageSettlement(settlement).registerMarket(marketId, expiration, rate, share);
            emit OutcomeListed(eventId, marketId, outcome, index, yes, no);
        }
        listedOutcomes[market] = end;
    }

    function _argumentsOf(bytes32 questionId, EventTerms calldata terms) private view returns (bytes memory encoded) {
        uint256 fees = FeeTerms.unwrap(FeeMath.toTerms(terms.feeRateBps, terms.makerShareBps));
        uint256 options = terms.names.length << 128 | fees << 8 | (terms.early ? 1 : 0);
        encoded = abi.encode(
            questionId,
            msg.sender,
            terms.expiration,
            bond,
            options,
            terms.question,
            terms.description,
            terms.category,
            terms.names
        );
        if (encoded.length > MAX_TERMS_LENGTH) revert TermsLength(encoded.length);
    }

    function _checkTerms(EventTerms calldata terms) private view {
        if (terms.expiration <= block.timestamp) revert ExpirationNotInFuture();
        uint64 latest = uint64(block.timestamp) + MAX_LIFETIME;
        if (terms.expiration > latest) revert ExpirationTooFar(latest);
        uint256 length = bytes(terms.question).length;
        if (length == 0 || length > MAX_QUESTION_LENGTH) revert QuestionLength(length);
        length = bytes(terms.description).length;
        if (length > MAX_DESCRIPTION_LENGTH) revert DescriptionLength(length);
        length = bytes(terms.category).length;
        if (length == 0 || length > MAX_CATEGORY_LENGTH) revert CategoryLength(length);
        uint256 count = terms.names.length;
        if (count < 2 || count > OutcomeIds.MAX_OUTCOMES) revert OutcomeCount(count);
        for (uint256 i; i < count; ++i) {
            length = bytes(terms.names[i]).length;
            if (length == 0 || length > MAX_NAME_LENGTH) revert NameLength(i, length);
        }
    }
}
