// Why a fill did not settle; the high digit says who is to blame: 1 the operator, 2 the buyer, 3 the seller, 4 the chain.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

library FillCodes {
    uint8 internal constant SETTLED = 0x00;

    /// @dev The fill refers to an order that is not in the batch.
    uint8 internal constant UNKNOWN_ORDER = 0x10;
    /// @dev Not one BUY and one SELL of the same outcome of the same market, or a size of zero.
    uint8 internal constant MISMATCH = 0x11;
    /// @dev Above the buyer's limit, below the seller's, or not strictly between zero and one.
    uint8 internal constant PRICE_OUTSIDE_LIMITS = 0x12;
    /// @dev The order's market is not in the batch, or nobody registered its share ids here.
    uint8 internal constant MARKET_UNKNOWN = 0x13;
    /// @dev The market's result has been on chain for longer than RESOLUTION_GRACE: none of its fills settle any more.
    uint8 internal constant MARKET_RESOLVED = 0x14;
    /// @dev The market expired more than SETTLEMENT_GRACE ago: what matched before and has not settled is void.
    uint8 internal constant MARKET_ENDED = 0x15;
    /// @dev A pauser stopped this market; its fills settle again once the owner lets them, until its end.
    uint8 internal constant MARKET_PAUSED = 0x16;
    /// @dev The wallet of one of the two cannot pay, and their deposit could, but the fill does not name it.
    uint8 internal constant LEDGER_NOT_NAMED = 0x17;

    /// @dev Also for an order signed with a fee recipient, since a packed order has none. 0x21 and 0x31 are retired.
    uint8 internal constant BUYER_SIGNATURE = 0x20;
    uint8 internal constant BUYER_EXPIRED = 0x22;
    uint8 internal constant BUYER_CANCELLED = 0x23;
    uint8 internal constant BUYER_OVERFILLED = 0x24;
    /// @dev Neither the buyer's deposit covers the cost, with the fee if they take, nor their stablecoin balance and allowance.
    uint8 internal constant BUYER_FUNDS = 0x25;
    /// @dev The token lets others pay and be paid, but not the buyer, whose balance and allowance suffice.
    uint8 internal constant BUYER_BLOCKED = 0x27;
    /// @dev The buyer halted their trading on chain.
    uint8 internal constant BUYER_HALTED = 0x28;

    uint8 internal constant SELLER_SIGNATURE = 0x30;
    uint8 internal constant SELLER_EXPIRED = 0x32;
    uint8 internal constant SELLER_CANCELLED = 0x33;
    uint8 internal constant SELLER_OVERFILLED = 0x34;
    /// @dev Neither the seller's deposit covers their part of the mint, with the fee if they take, nor their stablecoin balance and allowance.
    uint8 internal constant SELLER_FUNDS = 0x35;
    /// @dev No longer sent: shares that the settlement may not transfer count as not held. Logs of older deployments contain it.
    uint8 internal constant SELLER_SHARE_APPROVAL = 0x36;
    uint8 internal constant SELLER_BLOCKED = 0x37;
    uint8 internal constant SELLER_HALTED = 0x38;
    /// @dev The fill must not mint, and the seller does not hold all the shares.
    uint8 internal constant SELLER_WOULD_MINT = 0x39;

    uint8 internal constant OUT_OF_GAS = 0x40;
    /// @dev A token contract failed although balance and allowance suffice, and not because it blocks one party.
    uint8 internal constant TOKEN_FAULT = 0x41;

    /// @dev Only returned by settleBatch: the gas ran low before this fill.
    uint8 internal constant NOT_ATTEMPTED = 0xff;

    /// @dev The checks of both sides share one implementation in the buyer's codes; this shifts a code to the seller's.
    uint8 internal constant SELLER_OFFSET = 0x10;
}
