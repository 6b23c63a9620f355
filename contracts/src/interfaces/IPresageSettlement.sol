// What traders sign, what the operator sends, and what the settlement answers.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A signed limit order. Prices and sizes have six decimals.
/// @param side 0 buys, 1 sells
/// @param outcome 0 is YES, 1 is NO
/// @param price limit in stablecoin per share, 1 to 999,999
/// @param nonce unique per (trader, market); counting upward shares one storage slot among four orders
/// @param expiration last second in which the order may be matched; it may settle SETTLEMENT_GRACE later
/// @param makerFeeRecipient must be zero
struct Order {
    bytes32 marketId;
    address trader;
    uint8 side;
    uint8 outcome;
    uint64 price;
    uint64 size;
    uint64 nonce;
    uint64 expiration;
    address makerFeeRecipient;
}

interface IPresageSettlement {
    error SettlementPaused();
    error TooManyFills(uint256 count);
    /// @dev Not a whole number of packed orders.
    error MalformedOrders(uint256 length);
    /// @dev Not a whole number of packed fills.
    error MalformedFills(uint256 length);
    error NotBinaryCondition(bytes32 marketId);
    error CancelAlreadyRequested(uint64 effectiveAfter);
    error AlreadyHalted(uint64 effectiveAfter);
    error NotHalted();
    error MarketNotResolved(bytes32 marketId);
    error NotPendingOperator();
    error GraceTooLong(uint256 grace);
    error OnlySelf();
    /// @dev Leaves the isolated part of one fill only; settleBatch turns it into FillFailed.
    error FillRejected(uint8 code);

    /// @param amounts price << 192 | size << 128 | cost << 64 | minted; minted is the part of size that was made by splitting
    /// stablecoin because the seller did not hold it
    event FillSettled(bytes32 indexed buyHash, bytes32 indexed sellHash, uint256 amounts);
    /// @param fillIndex place of the fill in its batch
    /// @param code one of FillCodes; `code >> 4` is the party to blame: 1 operator, 2 buyer, 3 seller, 4 chain
    event FillFailed(bytes32 indexed buyHash, bytes32 indexed sellHash, uint256 fillIndex, uint8 code);
    /// @notice The gas ran low: this fill and all after it were not attempted, and nothing is to blame but the gas limit.
    event FillsNotAttempted(uint256 fromIndex);
    /// @param effectiveAfter last second in which a fill of the order still settles
    event OrderCancelRequested(
        address indexed trader, bytes32 indexed marketId, uint64 nonce, uint64 effectiveAfter
    );
    /// @param effectiveAfter last second in which an order of this trader still settles
    event TradingHalted(address indexed trader, uint64 effectiveAfter);
    event TradingResumed(address indexed trader);
    /// @param settlesUntil last second in which a fill of this market still settles
    event MarketClosed(bytes32 indexed marketId, uint64 settlesUntil);
    /// @notice The operator's office is offered; it changes hands when this account accepts.
    event OperatorOffered(address indexed account);
    event MarketRegistered(bytes32 indexed marketId, uint256 yesTokenId, uint256 noTokenId);
    event Paused(address indexed account);
    event Unpaused(address indexed account);

    /// @notice Settles up to 100 fills, each on its own: a fill that cannot settle is reported and leaves no trace, the others stand.
    /// @dev An order is verified once per batch, when the first fill names it. The batch stops cleanly before a fill for which
    /// less than MIN_FILL_GAS is left: so eth_estimateGas, which seeks the least gas that does not revert, must not be used to
    /// choose the gas limit. Take the gas of a simulation with ample gas, and add MIN_FILL_GAS.
    ///
    /// Calldata is most of what a fill costs beyond its storage, so orders and fills are packed, big-endian, without gaps or padding.
    /// There are no spare bits: what does not fit was never legal, and whatever is written wrongly is another order, unsigned.
    ///
    /// An order takes 112 bytes:
    ///   20 trader | 8 nonce | 1 marketIndex | 3 terms | 8 size | 8 expiration | 32 r | 32 vs
    /// where terms is side << 23 | outcome << 22 | price, and (r, vs) is its EIP-2098 compact signature: vs is s with the parity of
    /// v in its top bit, so that no bad v can be written. makerFeeRecipient is not sent; it is hashed as the zero it must be.
    ///
    /// A wallet that is a contract signs as EIP-1271 has it. Its order holds, in place of r, the place of its signature in `orders`:
    /// offset << 128 | length, and zero in place of vs. Such signatures follow the last order, padded to a multiple of 112 bytes;
    /// no fill names what they make up. The wallet is asked only if it has code and (r, vs) is nobody's signature.
    ///
    /// A fill takes 13 bytes:
    ///   1 buyIndex | 1 sellIndex | 3 price | 8 size
    /// @param marketIds every market that an order names; orders refer to it by place
    /// @param orders every order that a fill names, once; fills refer to it by place
    /// @param fills what to settle, in this order
    /// @return codes one of FillCodes for each fill, so that a simulation tells the operator what to leave out and whom to blame
    function settleBatch(bytes32[] calldata marketIds, bytes calldata orders, bytes calldata fills)
        external
        returns (bytes memory codes);

    /// @notice The isolated part of a fill: callable by this contract only, so that a revert takes back all of its moves.
    /// @dev The seller's shares go first, as far as they reach; what is missing is minted from stablecoin. Name and order of
    /// parameters give a selector near zero, which the compiler's dispatcher meets first: 400 gas less for every fill.
    /// @return minted how much of size was made because the seller did not hold it
    function settleFill(
        address buyer,
        address seller,
        uint256 tokenId,
        uint256 size,
        uint256 cost,
        uint256 outcome,
        bytes32 marketId
    ) external returns (uint256 minted);

    /// @notice Makes the sender's order with this nonce unfillable once SETTLEMENT_GRACE has passed.
    /// @dev Keyed by nonce and not by hash: should two orders have been signed with one nonce, both die. The delay lets what was
    /// matched before the request settle, so that nobody voids a trade by outrunning it.
    function requestCancel(bytes32 marketId, uint64 nonce) external;

    /// @notice The same for a trader who signed CancelOrder(trader, marketId, orderNonce, deadline).
    function requestCancelBySig(
        address trader,
        bytes32 marketId,
        uint64 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Makes every order of the sender unfillable, past and future, once SETTLEMENT_GRACE has passed, until they resume.
    function haltTrading() external;
    /// @notice The same for a trader who signed HaltTrading(trader, nonce, deadline).
    function haltTradingBySig(address trader, uint256 deadline, bytes calldata signature) external;
    /// @notice Undoes the sender's halt at once. Nobody else can: not the operator, not the owner.
    function resumeTrading() external;
    /// @notice The same for a trader who signed ResumeTrading(trader, nonce, deadline).
    function resumeTradingBySig(address trader, uint256 deadline, bytes calldata signature) external;

    /// @notice Learns the share ids of a binary condition; anyone may call, any number of times.
    /// @dev Both ids follow from the condition alone, so there is nobody to trust.
    function registerMarket(bytes32 marketId) external returns (uint256 yesTokenId, uint256 noTokenId);

    /// @notice Lets fills of a resolved market settle for RESOLUTION_GRACE more, and not beyond. Our markets call it as they report;
    /// for a condition with another oracle anyone may. A second call changes nothing.
    function closeMarket(bytes32 marketId) external;

    /// @notice Stops all settling; the owner and pausers may.
    function pause() external;
    /// @notice Only the owner may.
    function unpause() external;

    /// @notice Takes the operator's office, which grantRole(OPERATOR_ROLE, sender) offered while somebody else held it.
    function acceptOperator() external;

    function hashOrder(Order calldata order) external view returns (bytes32);
    /// @notice How many shares of the order with this nonce have settled.
    function filled(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64);
    /// @notice Last second in which a fill of this order settles after its cancel was requested; zero if none was.
    function cancelEffectiveAfter(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64);
    /// @notice Last second in which an order of this trader settles after they halted; zero if they have not.
    function haltEffectiveAfter(address trader) external view returns (uint64);
    /// @notice Last second in which a fill of this market settles: the largest number while it trades, zero if nobody registered it.
    function settlesUntil(bytes32 marketId) external view returns (uint64);
    /// @notice Share id of an outcome of a market; zero if the market is not registered.
    function tokenIdOf(bytes32 marketId, uint256 outcome) external view returns (uint256);
    function costOf(uint64 price, uint64 size) external pure returns (uint256);
    function paused() external view returns (bool);
    function collateral() external view returns (address);
    function conditionalTokens() external view returns (address);
    function SETTLEMENT_GRACE() external view returns (uint256);
    function RESOLUTION_GRACE() external view returns (uint256);
    function operator() external view returns (address);
    function pendingOperator() external view returns (address);
    function PAUSER_ROLE() external view returns (bytes32);
    function OPERATOR_ROLE() external view returns (bytes32);
    function MAX_FILLS() external view returns (uint256);
    function MIN_FILL_GAS() external view returns (uint256);
}
