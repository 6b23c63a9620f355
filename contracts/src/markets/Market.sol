// One market: its terms, its state, and the EIP-712 domain of messages signed for it.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../interfaces/IConditionalTokens.sol";
import {MarketStatus} from "../interfaces/IMarket.sol";
import {MarketResolution} from "./MarketResolution.sol";
import {MarketTerms} from "./MarketTerms.sol";

contract Market is MarketResolution {
    constructor(
        address conditionalTokens_,
        address collateral_,
        address settlement_,
        address marketOracle_,
        bool bondPermitRequired_,
        uint64 voidDelay
    ) MarketTerms(conditionalTokens_, collateral_) MarketResolution(settlement_, marketOracle_, bondPermitRequired_, voidDelay) {}

    /// @dev Asks the conditional tokens whether the market is resolved, rather than storing it here too.
    function status() external view returns (MarketStatus) {
        if (IConditionalTokens(conditionalTokens).payoutDenominator(marketId()) != 0) return MarketStatus.Resolved;
        bytes32 next = _next();
        if (next != 0) return _proposals[next].disputed ? MarketStatus.Disputed : MarketStatus.Proposed;
        return block.timestamp < expiration() ? MarketStatus.Open : MarketStatus.Expired;
    }

    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("PresageMarket", "1");
    }
}
