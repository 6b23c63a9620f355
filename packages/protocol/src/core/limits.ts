// Every limit the service keeps, with the reason of each number that is not obvious.
import { EVENTS_PER_STEP } from '../records/engine-commands.ts';
import { MAX_PRICE, MAX_SIZE, MIN_PRICE } from './units.ts';

export const MAX_UINT64 = 18_446_744_073_709_551_615n;
export const MAX_UINT256 = (1n << 256n) - 1n;

/** Also used by clients. Separate constants, so that a browser bundle takes them without the table. */
export const BATCH_ORDERS = 50;
export const BATCH_REDEMPTIONS = 20;
export const TOKEN_NONCE_HEX_DIGITS = 32;
/** Ten years: the market factory refuses a later expiration. */
export const MARKET_LIFETIME_SECONDS = 3_653 * 86_400;
export const PRICE_HISTORY_SECONDS = 1_200;

export const LIMITS = {
  minPrice: MIN_PRICE,
  maxPrice: MAX_PRICE,
  maxOrderSize: MAX_SIZE,
  minExpirationSeconds: 60,
  orderSignatureBytes: 65,
  bodyBytes: 65_536,
  /** Memory for partially received bodies of all connections together; above it the longest bodies are refused. */
  bodiesPartialBytes: 67_108_864,
  headerBytes: 16_384,
  /** Open connections of a listener; further ones are closed without an answer. */
  connections: 10_000,
  /** A slower sender is disconnected: for its headers, and for its whole request. */
  headersTimeoutSeconds: 10,
  requestTimeoutSeconds: 30,
  /** A reader that accepts nothing of its answer for so long is disconnected. */
  answerStallSeconds: 30,
  /** Unread answers, events and stream messages of all clients together; above it the address with most loses its largest connection. */
  unsentBytes: 268_435_456,
  /** Unread output of one address (IPv6: /64): a quarter, so that one address cannot use up the room of others. */
  unsentAddressBytes: 67_108_864,
  /** Unread output of a stream's connection, or of several answers on one connection. */
  unsentConnectionBytes: 8_388_608,
  batchOrders: BATCH_ORDERS,
  /** Most resting orders that one order can match, and most orders that can leave a book in one step. */
  eventsPerStep: EVENTS_PER_STEP,
  batchRedemptions: BATCH_REDEMPTIONS,
  /** Longest wait of a relayed call for the previous one of the same wallet, and for the node to accept it. */
  relayerTimeoutSeconds: 15,
  tokenLifeSeconds: 300,
  tokenAheadSeconds: 60,
  /**
   * How long the nonce of a token is remembered: the life of a token plus the time it may be ahead; older tokens are
   * expired anyway.
   */
  tokenMemorySeconds: 360,
  tokenNonceHexDigits: TOKEN_NONCE_HEX_DIGITS,
  apiKeysPerWallet: 10,
  disputeWindowSeconds: 7_200,
  /** Listed orders of one wallet; without a `limit` parameter all orders on the book are listed. */
  ordersListed: 1_000,
  positionsListed: 10_000,
  tradeHistory: 100,
  tradeHistoryMax: 1_000,
  pendingTradesMax: 10_000,
  marketActivity: 50,
  marketActivityMax: 1_000,
  topHolders: 10,
  topHoldersMax: 1_000,
  leaderboard: 50,
  leaderboardMax: 100,
  /** The most profitable wallets are searched among so many with the most volume. */
  leaderboardCompared: 200,
  userActivityDefault: 50,
  userActivityMax: 100,
  /** Width of a chart; further candles are fetched page by page. */
  candlesDefault: 500,
  candlesMax: 1_000,
  /** Seven days in pieces of seven hours: as many as a card of a list can show. */
  sparklinePoints: 25,
  pnlPoints: 60,
  userPositionsMax: 500,
  marketsPageDefault: 100,
  marketsPageMax: 500,
  /** Events of a page; each has up to 128 markets. */
  eventsPageDefault: 20,
  eventsPageMax: 100,
  quickMarketHistory: 100,
  priceHistorySeconds: PRICE_HISTORY_SECONDS,
  quickIntervalSeconds: 900,
  operatorActions: 100,
  operatorActionsMax: 1_000,
  /** Requests of operators that wait for confirmation by a second one. */
  pendingApprovalsMax: 100,
  marketTemplatesMax: 200,
  scheduledMarketsMax: 1_000,
  /** Days times markets in an answer about revenue. */
  revenueLines: 10_000,
  /** Concurrent exports; each queries the database page by page. */
  exportsAtOnce: 8,
  failedClaims: 1_000,
  closedMarketsListed: 100,
  heartbeatMinSeconds: 5,
  heartbeatMaxSeconds: 3_600,
  /**
   * Room that permits and reserves leave for rounding: fills round up by at most one unit each, and a thousand are
   * covered.
   */
  reserveSlackUnits: 1_000,
  readYourWritesMs: 1_000,
  /** Delay of the event loop above which new requests are refused: their answers would come too late to be of use. */
  shedAfterMs: 2_000,
  /**
   * Longest wait of a new order for its turn before it is refused: in a burst, and while more keep arriving than are
   * answered.
   */
  orderWaitMs: 1_000,
  floodWaitMs: 15,
  /** Most orders that wait, and orders with a turn at a time even if each takes long. */
  ordersWaiting: 4_096,
  ordersUnderWay: 64,
  /** Pending answers of a chain or of the operator's hook that new orders wait for; one address may use a quarter of them. */
  ordersOut: 2_048,
  /** Hops read from `X-Forwarded-For` and `Forwarded`; older ones are ignored. */
  proxyHops: 16,
  /** Stablecoin that the sandbox gives a wallet: as much as the largest order can cost. */
  sandboxFundUnits: MAX_SIZE,
  /** Rates for each address, each key and each wallet, in force if rate limits are on. */
  rates: {
    readsPerSecond: 100,
    writesPerSecond: 50,
    /** Seconds' worth of requests that a bucket holds. */
    burstFactor: 2,
    positionSyncsPerMinute: 10,
    /** Registrations of an address: each stays in the journal and in memory forever. */
    apiKeysPerHour: 600,
    relayedCallsPerHour: 30,
    /** Gas per wallet: that many calls at the gas limit of most of them. */
    relayedGasPerWalletHour: 15_000_000,
    /** Gas of all wallets together: a few blocks of a public chain. */
    relayedGasPerHour: 600_000_000,
    /**
     * Shares of the hourly gas: the part that wallets with less than `relayedFundedUnits` may use together, and the
     * part reserved for wallets with orders.
     */
    relayedGasEmptyPercent: 10,
    relayedGasTradersPercent: 30,
    relayedFundedUnits: 1_000_000,
  },
  settlementPairsPerBatch: 100,
  /** Records on a page of the public journal: as bytes only, and with every record written out. */
  journalRecords: 10_000,
  journalReadable: 500,
  /** Bytes of the frames on a page; a larger frame is a page of its own. */
  journalPageBytes: 1_048_576,
  journalAnchors: 10_000,
  solvencyMarkets: 1_000,
  /** Longest signature of an EIP-1271 wallet; the contracts refuse longer ones. */
  walletSignatureBytes: 8_192,
  streamSubscriptions: 256,
  /** Subscriptions of all connections of one address: each takes some hundred bytes for the life of its connection. */
  streamAddressSubscriptions: 16_384,
  streamMessagesPerSecond: 20,
  streamFrameBytes: 4_096,
  /** A stream message up to this length is refused with a reason; a longer one closes the connection. */
  streamPayloadBytes: 65_536,
} as const;
