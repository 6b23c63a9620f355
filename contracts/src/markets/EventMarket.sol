// One event: several outcomes of which one wins, resolved together by the rules of single markets.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {IEventMarket} from "../interfaces/IEventMarket.sol";
import {IPresageSettlement} from "../interfaces/IPresageSettlement.sol";
import {FeeTerms} from "../libraries/FeeMath.sol";
import {OutcomeIds} from "../libraries/OutcomeIds.sol";
import {PositionIds} from "../libraries/PositionIds.sol";
import {MarketResolution} from "./MarketResolution.sol";
import {MarketTerms} from "./MarketTerms.sol";
import {LibClone} from "solady/src/utils/LibClone.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

/// @dev Clones carry the terms of a market with the names of the outcomes behind them. A result is the index of the outcome that won, or
/// the number of outcomes: then all pay the same.
contract EventMarket is IEventMarket, MarketResolution {
    address public immutable outcomeImplementation;

    mapping(uint256 index => address) public outcomeMarket;

    constructor(
        address conditionalTokens_,
        address collateral_,
        address settlement_,
        address marketOracle_,
        bool bondPermitRequired_,
        uint64 voidDelay,
        address outcomeImplementation_
    ) MarketTerms(conditionalTokens_, collateral_) MarketResolution(settlement_, marketOracle_, bondPermitRequired_, voidDelay) {
        outcomeImplementation = outcomeImplementation_;
    }

    // ---------------------------------------------------------------- terms

    /// @notice The event's id: the id of its condition.
    function marketId() public view override returns (bytes32) {
        return PositionIds.conditionId(address(this), questionId(), outcomeCount());
    }

    function outcomeCount() public view returns (uint256) {
        return _options() >> 128;
    }

    function outcomeName(uint256 index) public view returns (string memory) {
        _requireIndex(index);
        (,,,,,,,, string[] memory names) = abi.decode(
            LibClone.argsOnClone(address(this)),
            (bytes32, address, uint64, uint256, uint256, string, string, string, string[])
        );
        return names[index];
    }

    function outcomeMarketId(uint256 index) public view returns (bytes32) {
        _requireIndex(index);
        return OutcomeIds.marketId(marketId(), index, outcomeCount());
    }

    function fees() external view returns (uint16 feeRateBps, uint16 makerShareBps) {
        FeeTerms terms = FeeTerms.wrap(uint32(_options() >> 8));
        return (uint16(terms.rateBps()), uint16(terms.shareBps()));
    }

    // ---------------------------------------------------------------- opening

    function prepare() external {
        IConditionalTokens(conditionalTokens).prepareEvent(collateral, questionId(), outcomeCount());
    }

    function openOutcome(uint256 index) external returns (address market) {
        _requireIndex(index);
        market = outcomeMarket[index];
        if (market != address(0)) return market;
        market = LibClone.cloneDeterministic(outcomeImplementation, abi.encode(address(this), index), bytes32(index));
        outcomeMarket[index] = market;
        emit OutcomeOpened(index, market);
    }

    // ---------------------------------------------------------------- resolution

    /// @dev The bond comes after what can be settled is settled: until then only bonds that return count as having come.
    function propose(uint8 index, bool isVoid, address proposer, address payer) external returns (bytes32) {
        if (msg.sender != outcomeMarket[index]) revert NotOutcomeMarket(msg.sender);
        uint8 result = isVoid ? _resultCount() - 1 : index;
        uint256 amount = bond();
        _requireProposable(result);
        if (payer != proposer) _requireNoOtherSponsored();
        SafeTransferLib.safeTransferFrom(collateral, msg.sender, address(this), amount);
        return _assertOutcome(proposer, payer, result, _round + 1, amount);
    }

    function _report(uint8 outcome) internal override {
        uint256 count = outcomeCount();
        uint256[] memory payouts = new uint256[](count);
        for (uint256 i; i < count; ++i) payouts[i] = outcome == count || outcome == i ? 1 : 0;
        IConditionalTokens(conditionalTokens).reportPayouts(questionId(), payouts);
        bytes32 id = marketId();
        // An outcome that is not listed has no market to close.
        for (uint256 i; i < count; ++i) IPresageSettlement(settlement).closeMarket(OutcomeIds.marketId(id, i, count));
    }

    function _answerOf(uint8 outcome) internal view override returns (string memory) {
        if (outcome == outcomeCount()) {
            return "The question below can be answered by none of its outcomes by its rules, so all outcomes pay the same.";
        }
        return string.concat("The answer to the question below is: ", outcomeName(outcome), ".");
    }

    function _resultCount() internal view override returns (uint8) {
        return uint8(outcomeCount()) + 1;
    }

    function _requireIndex(uint256 index) private view {
        if (index >= outcomeCount()) revert NoSuchIndex(index);
    }
}
