// The settlement contract: the orders that traders sign, the batches that the operator sends, and their results.
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A signed limit order. Prices and sizes have six decimals.
/// @param side 0 buys, 1 sells
/// @param outcome 0 is YES, 1 is NO
/// @param price limit in stablecoin per share, 1 to 999,999
/// @param nonce unique per (trader, market); with increasing nonces eight orders share one storage slot
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
    error MarketNotRegistered(bytes32 marketId);
    error TooManyFills(uint256 count);
    /// @dev Not a whole number of packed orders.
    error MalformedOrders(uint256 length);
    /// @dev Not a whole number of packed fills.
    error MalformedFills(uint256 length);
    error CancelAlreadyRequested(uint64 effectiveAfter);
    error AlreadyHalted(uint64 effectiveAfter);
    error NotHalted();
    error MarketNotResolved(bytes32 marketId);
    error NotPendingOperator();
    error GraceTooLong(uint256 grace);
    error OnlySelf();
    error DepositTooLarge(uint256 amount);
    /// @param balance what the trader has deposited
    error DepositTooLow(uint256 balance);
    /// @dev A rate above 700, or a share above 10000.
    error FeesTooHigh();
    /// @dev A market with fees needs a treasury first: see setTreasury.
    error NoTreasury();
    error UnfitTreasury();
    /// @dev The market is registered with other fees.
    error FeesAreFixed();
    /// @dev Reverts the call of one fill only; settleBatch turns it into FillFailed.
    error FillRejected(uint8 code);

    /// @notice Everything that a batch has settled, in its order. Version 2 emitted FillSettled for each fill instead.
    /// @param fills three words for each: the hash of the buy order, the hash of the sell order, and the amounts
    /// buyerLedger << 255 | sellerLedger << 254 | sellerTook << 253 | makerShareBps << 228 | feeRateBps << 212 | price << 192 | size << 128
    /// | cost << 64 | minted; minted is the part of size that was created by splitting stablecoin because the seller did not hold it. The
    /// buyer paid cost + fee and the seller had cost + rebate, or with sellerTook cost - rebate and cost - fee; without a feeRateBps there is
    /// neither. With buyerLedger what the buyer paid left their deposit; with sellerLedger what the seller had, less minted, was added to
    /// theirs, or taken from it where negative
    event FillsSettled(bytes32[] fills);
    /// @dev No longer emitted; readers of older deployments decode it.
    event FillSettled(bytes32 indexed buyHash, bytes32 indexed sellHash, uint256 amounts);
    /// @param fillIndex index of the fill in its batch
    /// @param code one of FillCodes; `code >> 4` is the fault party: 1 operator, 2 buyer, 3 seller, 4 chain
    event FillFailed(bytes32 indexed buyHash, bytes32 indexed sellHash, uint256 fillIndex, uint8 code);
    /// @notice The gas ran low: this fill and all later ones were not attempted, only because of the gas limit.
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
    /// @notice The operator role is offered; it is transferred when this account accepts.
    event OperatorOffered(address indexed account);
    event MarketRegistered(bytes32 indexed marketId, uint256 yesTokenId, uint256 noTokenId);
    /// @notice What takers pay in this market, for ever: see feesOf. Only for a market that has fees.
    event MarketFeesFixed(bytes32 indexed marketId, uint16 feeRateBps, uint16 makerShareBps);
    /// @notice What a batch left for the treasury; it is in its deposit if the token did not let it be paid.
    event FeesPaid(address indexed treasury, uint256 amount);
    event TreasuryChanged(address indexed account);
    event Paused(address indexed account);
    event Unpaused(address indexed account);
    event MarketPaused(bytes32 indexed marketId, bool isPaused, address indexed account);
    event Deposited(address indexed trader, address indexed payer, uint256 amount);
    event Withdrawn(address indexed trader, address indexed to, uint256 amount);

    /// @notice Settles up to 100 fills, each on its own: a fill that cannot settle is reported and has no effect, and the others
    /// settle.
    /// @dev An order is verified once per batch, when the first fill refers to it. The batch stops cleanly before a fill for which
    /// less than MIN_FILL_GAS is left: so eth_estimateGas, which finds the least gas that does not revert, must not be used to
    /// choose the gas limit. Take the gas of a simulation with ample gas, and add MIN_FILL_GAS.
    ///
    /// Calldata is most of what a fill costs beyond its storage, so orders and fills are packed, big-endian, without gaps or padding.
    /// Orders have no spare bits: values that do not fit are not valid, and a wrong byte gives a different order, which nobody signed.
    ///
    /// An order takes 112 bytes:
    ///   20 trader | 8 nonce | 1 marketIndex | 3 terms | 8 size | 8 expiration | 32 r | 32 vs
    /// where terms is side << 23 | outcome << 22 | price, and (r, vs) is its EIP-2098 compact signature: vs is s with the parity of
    /// v in its top bit, so an invalid v cannot be encoded. makerFeeRecipient is not sent; it is hashed as zero.
    ///
    /// A contract wallet signs by EIP-1271. Its order holds, instead of r, the position of its signature in `orders`:
    /// offset << 128 | length, and zero instead of vs. Such signatures follow the last order, padded to a multiple of 112 bytes;
    /// no fill refers to those bytes as orders. The wallet is asked only if it has code and (r, vs) is not its key's signature.
    ///
    /// A fill takes 13 bytes:
    ///   1 buyIndex | 1 sellIndex | 3 price | 8 size
    /// where the top bit of price says that the fill must not mint: it settles only while the seller holds all its shares. The next
    /// bit names the buyer's deposit as what pays, and the one after it the seller's as what is paid, or pays for a mint. A deposit
    /// that does not cover the amount, or that nobody opened, is left alone, and the wallet is used as without the bit. The fourth bit
    /// says that the seller took the buyer's offer and pays the market's fee; without it the buyer does. Whatever the operator writes
    /// there, nobody pays more than the market's rate.
    /// @param marketIds every market of the orders; orders refer to it by index
    /// @param orders every order of the fills, once; fills refer to it by index
    /// @param fills what to settle, in this order
    /// @return codes one of FillCodes for each fill, so that a simulation shows which fills to leave out and whose fault they are
    function settleBatch(bytes32[] calldata marketIds, bytes calldata orders, bytes calldata fills)
        external
        returns (bytes memory codes);

    /// @notice The transfers of one fill, in a call that only this contract can make, so that a revert undoes all of them.
    /// @dev The seller's shares are used first; what is missing is minted from stablecoin. The name and the order of
    /// parameters give a selector near zero, which the compiler's dispatcher compares first: 400 gas less per fill.
    /// @param money what the treasury keeps << 128 | what the buyer pays; the seller gets the difference
    /// @param terms the outcome, with the first three bits of the fill's price
    /// @return mintedAndLedgers how much of size was minted because the seller did not hold it, and the two top bits of FillsSettled
    function moveAssets(
        uint256 buyer,
        uint256 seller,
        uint256 tokenId,
        uint256 size,
        uint256 money,
        uint256 terms,
        bytes32 marketId
    ) external returns (uint256 mintedAndLedgers);

    /// @notice Makes the sender's order with this nonce unfillable once SETTLEMENT_GRACE has passed.
    /// @dev Keyed by nonce and not by hash: if two orders were signed with one nonce, both are cancelled. The delay lets trades
    /// matched before the request settle, so that nobody can void a trade by cancelling before it settles.
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

    /// @notice Deposits the sender's stablecoin here, by their allowance, and opts in: fills may take it, and pay here, without a transfer
    /// of the token. Zero only opts in.
    function depositCollateral(uint256 amount) external;
    /// @notice The same for a trader who signed Deposit(trader, amount, nonce, deadline); their wallet pays.
    function depositBySig(address trader, uint256 amount, uint256 deadline, bytes calldata signature) external;
    /// @notice Deposits the sender's stablecoin for a trader, whom it does not opt in.
    function depositTo(address trader, uint256 amount) external;
    /// @notice Pays the sender's deposit to anybody, at once, whatever is paused or halted. Taking out everything opts out.
    /// @dev A fill that was matched and finds the money neither here nor in the wallet fails as if it had been moved out of the wallet.
    /// @param amount the largest uint256 stands for everything
    function withdrawDeposit(uint256 amount, address to) external;
    /// @notice The same for a trader who signed WithdrawDeposit(trader, amount, to, nonce, deadline).
    function withdrawDepositBySig(
        address trader,
        uint256 amount,
        address to,
        uint256 deadline,
        bytes calldata signature
    ) external;
    /// @notice What a trader has deposited, and whether fills may pay into it.
    function ledgerOf(address trader) external view returns (uint256 balance, bool hasOptedIn);

    /// @notice Stores the share ids of a binary condition and its last second of fills: expiration + SETTLEMENT_GRACE.
    /// @dev Only for REGISTRAR_ROLE, which the factories have: both ids follow from the condition alone, but not its expiration,
    /// and whoever names it first decides how long the operator can fill orders. A second call changes nothing, and must name the same
    /// fees: they are fixed for ever.
    /// @param feeRateBps of each fill the taker pays ceil(feeRateBps * size * price * (1e6 - price) / 1e16), at most 700; zero for no fee
    /// @param makerShareBps of a fee the maker gets floor(fee * makerShareBps / 10000), the treasury the rest
    function registerMarket(bytes32 marketId, uint64 expiration, uint16 feeRateBps, uint16 makerShareBps)
        external
        returns (uint256 yesTokenId, uint256 noTokenId);

    /// @notice Lets fills of a resolved market settle for another RESOLUTION_GRACE at most. Presage's markets call it when they
    /// report; for a condition with another oracle anyone may. A second call changes nothing.
    function closeMarket(bytes32 marketId) external;

    /// @notice Stops all settlement; for the owner and pausers.
    function pause() external;
    /// @notice Resumes settlement; for the owner only.
    function unpause() external;
    /// @notice Stops the settlement of one market, also after its result, or resumes it; owner and pausers stop, only the owner resumes.
    function setMarketPaused(bytes32 marketId, bool isPaused) external;

    /// @notice Names who gets the fees from now on; for the owner only.
    function setTreasury(address account) external;
    /// @notice Who gets the fees; zero while there can be no market with fees.
    function treasury() external view returns (address);
    /// @notice What takers pay in a market, see registerMarket; zeros if it has no fees.
    function feesOf(bytes32 marketId) external view returns (uint16 feeRateBps, uint16 makerShareBps);

    /// @notice Accepts the operator role, which grantRole(OPERATOR_ROLE, sender) offered while somebody else had it.
    function acceptOperator() external;

    function hashOrder(Order calldata order) external view returns (bytes32);
    /// @notice How many shares of the order with this nonce have settled.
    function filled(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64);
    /// @notice Last second in which a fill of this order settles after its cancel was requested; zero if none was.
    function cancelEffectiveAfter(address trader, bytes32 marketId, uint64 nonce) external view returns (uint64);
    /// @notice Last second in which an order of this trader settles after they halted; zero if they have not.
    function haltEffectiveAfter(address trader) external view returns (uint64);
    /// @notice Last second in which a fill of this market settles; zero if nobody registered it.
    function settlesUntil(bytes32 marketId) external view returns (uint64);
    /// @notice Share id of an outcome of a market; zero if the market is not registered.
    function tokenIdOf(bytes32 marketId, uint256 outcome) external view returns (uint256);
    function costOf(uint64 price, uint64 size) external pure returns (uint256);
    function paused() external view returns (bool);
    function collateral() external view returns (address);
    function conditionalTokens() external view returns (address);
    function SETTLEMENT_GRACE() external view returns (uint256);
    function RESOLUTION_GRACE() external view returns (uint256);
    /// @notice Version of this contract and of those deployed with it. Version 2 has no such function.
    function VERSION() external view returns (uint256);
    function REGISTRAR_ROLE() external view returns (bytes32);
    function operator() external view returns (address);
    function pendingOperator() external view returns (address);
    function PAUSER_ROLE() external view returns (bytes32);
    function OPERATOR_ROLE() external view returns (bytes32);
    function MAX_FILLS() external view returns (uint256);
    function MIN_FILL_GAS() external view returns (uint256);
}
