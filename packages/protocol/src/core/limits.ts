// Every limit the service keeps, with the reason of each number that is not obvious.
import { EVENTS_PER_STEP } from '../records/engine-commands.ts';
import { MAX_PRICE, MAX_SIZE, MIN_PRICE } from './units.ts';

export const MAX_UINT64 = 18_446_744_073_709_551_615n;
export const MAX_UINT256 = (1n << 256n) - 1n;

/** Clients keep these too. Each by its own name, so that a bundle for browsers takes them without the table. */
export const BATCH_ORDERS = 50;
export const BATCH_REDEMPTIONS = 20;
export const TOKEN_NONCE_HEX_DIGITS = 32;
/** Ten years: the market factory refuses an expiration that lies farther ahead. */
export const MARKET_LIFETIME_SECONDS = 3_653 * 86_400;
export const PRICE_HISTORY_SECONDS = 1_200;

export const LIMITS = {
  minPrice: MIN_PRICE,
  maxPrice: MAX_PRICE,
  maxOrderSize: MAX_SIZE,
  minExpirationSeconds: 60,
  orderSignatureBytes: 65,
  bodyBytes: 65_536,
  /** Memory of bodies that have come in part, of all connections together: past it the longest are refused. */
  bodiesPartialBytes: 67_108_864,
  headerBytes: 16_384,
  /** Open connections of a listener; one more is closed without an answer. */
  connections: 10_000,
  /** A sender that is slower is cut off. */
  headersTimeoutSeconds: 10,
  requestTimeoutSeconds: 30,
  /** A reader that takes nothing of its answer for so long is cut off. */
  answerStallSeconds: 30,
  /** What clients have not read yet of answers, events and stream messages together; above it the address with most loses its largest connection. */
  unsentBytes: 268_435_456,
  /** The same of one address (IPv6: /64): a quarter, so that one address takes nobody's room. */
  unsentAddressBytes: 67_108_864,
  /** The same of a stream's connection, or of several answers on one connection. */
  unsentConnectionBytes: 8_388_608,
  batchOrders: BATCH_ORDERS,
  /** How many orders one order can match, and how many can leave a book in one step. */
  eventsPerStep: EVENTS_PER_STEP,
  batchRedemptions: BATCH_REDEMPTIONS,
  /** How long a relayed call waits for the previous one of the same wallet, and for the node to take it. */
  relayerTimeoutSeconds: 15,
  tokenLifeSeconds: 300,
  tokenAheadSeconds: 60,
  /** Past the life of a token plus its allowance ahead, its nonce can never be good again. */
  tokenMemorySeconds: 360,
  tokenNonceHexDigits: TOKEN_NONCE_HEX_DIGITS,
  apiKeysPerWallet: 10,
  disputeWindowSeconds: 7_200,
  /** Listed orders of one wallet; without a limit all orders on the book are listed. */
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
  /** How many wallets with the most volume the most profitable are searched among. */
  leaderboardCompared: 200,
  userActivityDefault: 50,
  userActivityMax: 100,
  /** A chart's width; more are had page by page. */
  candlesDefault: 500,
  candlesMax: 1_000,
  /** Seven days in pieces of seven hours: as many as a card of a list can show. */
  sparklinePoints: 25,
  pnlPoints: 60,
  userPositionsMax: 500,
  marketsPageDefault: 100,
  marketsPageMax: 500,
  /** Each has up to 128 markets. */
  eventsPageDefault: 20,
  eventsPageMax: 100,
  quickMarketHistory: 100,
  priceHistorySeconds: PRICE_HISTORY_SECONDS,
  quickIntervalSeconds: 900,
  operatorActions: 100,
  operatorActionsMax: 1_000,
  /** Requests of operators that wait for a second one. */
  pendingApprovalsMax: 100,
  marketTemplatesMax: 200,
  scheduledMarketsMax: 1_000,
  /** Days times markets of an answer about revenue. */
  revenueLines: 10_000,
  /** Exports that are read at the same time; each asks the database for page after page. */
  exportsAtOnce: 8,
  failedClaims: 1_000,
  closedMarketsListed: 100,
  heartbeatMinSeconds: 5,
  heartbeatMaxSeconds: 3_600,
  /** Fills round up, one unit each at most: a permit and a reserve leave room for a thousand of them. */
  reserveSlackUnits: 1_000,
  readYourWritesMs: 1_000,
  /** A wait this long for the event loop: answers would come too late to be of use, so new requests are refused. */
  shedAfterMs: 2_000,
  /** How long a new order waits for its turn before it is refused: in a burst, and where more keep coming than are answered. */
  orderWaitMs: 1_000,
  floodWaitMs: 15,
  /** How many may wait, and how many have their turn at a time even where each takes long. */
  ordersWaiting: 4_096,
  ordersUnderWay: 64,
  /** Answers of a chain or of the operator's hook that new orders wait for; an address waits for a quarter of them at most. */
  ordersOut: 2_048,
  /** Hops read from `X-Forwarded-For` and `Forwarded`; older ones are ignored. */
  proxyHops: 16,
  /** A gift of the sandbox: as much as the largest order can cost. */
  sandboxFundUnits: MAX_SIZE,
  /** In force where rate limits are on: for each address, each key and each wallet. */
  rates: {
    readsPerSecond: 100,
    writesPerSecond: 50,
    /** A bucket holds this many seconds' worth. */
    burstFactor: 2,
    positionSyncsPerMinute: 10,
    /** Registrations of an address: each stays in the journal and in memory for good. */
    apiKeysPerHour: 600,
    relayedCallsPerHour: 30,
    /** Gas of that many calls at the gas limit of most of them. */
    relayedGasPerWalletHour: 15_000_000,
    /** Gas of all wallets together: a few blocks of a live chain. */
    relayedGasPerHour: 600_000_000,
    /** Shares of the hourly gas: what wallets with less than `relayedFundedUnits` may use together, and what is reserved for wallets with orders. */
    relayedGasEmptyPercent: 10,
    relayedGasTradersPercent: 30,
    relayedFundedUnits: 1_000_000,
  },
  settlementPairsPerBatch: 100,
  /** A page of the public journal: of bytes alone, and with every record written out. */
  journalRecords: 10_000,
  journalReadable: 500,
  /** Bytes of the frames on a page; one that is larger stands alone. */
  journalPageBytes: 1_048_576,
  journalAnchors: 10_000,
  solvencyMarkets: 1_000,
  /** Signature of an EIP-1271 wallet; the contracts refuse longer ones. */
  walletSignatureBytes: 8_192,
  streamSubscriptions: 256,
  /** Subscriptions of all connections of one address: each takes some hundred bytes for as long as its connection lives. */
  streamAddressSubscriptions: 16_384,
  streamMessagesPerSecond: 20,
  streamFrameBytes: 4_096,
  /** Up to here a message that is too long is answered with a reason; beyond, the connection is closed. */
  streamPayloadBytes: 65_536,
} as const;
