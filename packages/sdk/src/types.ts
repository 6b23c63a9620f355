// The service's responses as types, each derived from the published schema.
import type * as wire from '@presage/protocol';
import type { Wire } from '@presage/protocol/browser';

export type ServiceConfig = Wire<typeof wire.ServiceConfig>;
export type ChainConfig = Wire<typeof wire.ChainDescription>;
export type ServiceTime = Wire<typeof wire.ServiceTime>;
export type ServiceStatus = Wire<typeof wire.ServiceStatus>;
export type Solvency = Wire<typeof wire.Solvency>;
export type JournalHead = Wire<typeof wire.JournalHead>;
export type JournalAnchors = Wire<typeof wire.JournalAnchorList>;

export type Market = Wire<typeof wire.Market>;
export type MarketList = Wire<typeof wire.MarketList>;
export type MarketStatus = wire.MarketStatus;
export type Level = Wire<typeof wire.Level>;
export type OrderbookSnapshot = Wire<typeof wire.OrderbookSnapshot>;
export type MarketStatistics = Wire<typeof wire.MarketStatistics>;
export type PlatformStatistics = Wire<typeof wire.PlatformStatistics>;
export type Holders = Wire<typeof wire.Holders>;
export type MarketActivity = Wire<typeof wire.MarketActivity>;
export type Candles = Wire<typeof wire.Candles>;
export type CandleInterval = wire.CandleInterval;

/** A question with several outcomes, each of which is a market. */
export type MarketEvent = Wire<typeof wire.Event>;
export type EventOutcome = Wire<typeof wire.EventOutcome>;
export type EventList = Wire<typeof wire.EventList>;
/** The ways to hold an outcome of an event, and which is cheaper. */
export type EventQuote = Wire<typeof wire.EventQuoteAnswer>;

export type OpenOrder = Wire<typeof wire.OpenOrder>;
export type OrderList = Wire<typeof wire.OrderList>;
export type OrderEvents = Wire<typeof wire.OrderLife>;
export type OrderEvent = Wire<typeof wire.OrderLifeEvent>;
export type SubmitOrderResponse = Wire<typeof wire.SubmitOrderAnswer>;
export type BatchOrdersResponse = Wire<typeof wire.BatchAnswer>;
export type CancelOrderResponse = Wire<typeof wire.CancelAnswer>;
export type CancelAllResponse = Wire<typeof wire.CancelAllAnswer>;
export type HeartbeatResponse = Wire<typeof wire.HeartbeatAnswer>;
export type OrderValidation = Wire<typeof wire.ValidationAnswer>;
export type MatchPreview = NonNullable<OrderValidation['wouldMatch']>;

export type Trade = Wire<typeof wire.Trade>;
export type TradeHistory = Wire<typeof wire.TradeHistory>;
export type PendingTrades = Wire<typeof wire.PendingTrades>;
export type FailedTrades = Wire<typeof wire.FailedTrades>;
export type Settlement = Wire<typeof wire.SettlementFound> | Wire<typeof wire.SettlementNotFound>;
export type Position = Wire<typeof wire.Position>;
export type NoPosition = Wire<typeof wire.NoPosition>;
export type UserPosition = Wire<typeof wire.UserPosition>;
export type UserPositions = Wire<typeof wire.UserPositions>;
export type SyncPositionResponse = Wire<typeof wire.PositionSynced>;

export type UserActivity = Wire<typeof wire.UserActivity>;
/** The wallets with the most volume or profit. */
export type Leaderboard = Wire<typeof wire.Leaderboard>;
export type UserStatistics = Wire<typeof wire.UserStatistics>;
export type PnlHistory = Wire<typeof wire.PnlHistory>;
export type PnlInterval = wire.PnlInterval;
export type WalletBalances = Wire<typeof wire.WalletBalances>;
export type ClaimableList = Wire<typeof wire.ClaimableList>;
export type ClaimData = Wire<typeof wire.ClaimData>;
export type ClaimDataList = Wire<typeof wire.ClaimDataList>;
export type WalletApprovals = Wire<typeof wire.WalletApprovals>;
export type ContractNonce = Wire<typeof wire.ContractNonce>;

export type ApiKeyRegistration = Wire<typeof wire.ApiKeyAnswer>;
export type ApiKeyList = Wire<typeof wire.ApiKeyList>;
export type ApiKeyRevocation = Wire<typeof wire.ApiKeyRevokedAnswer>;

/** The state of a market's resolution. */
export type ResolutionStatus = Wire<typeof wire.ResolutionBody>;
export type Assertion = Wire<typeof wire.AssertionBody>;
export type Claim = Wire<typeof wire.PendingClaim>;
/** A redemption whose status changed; for a failed one, with the reason. */
export type ClaimUpdate = Wire<typeof wire.StreamClaim>;
export type PendingClaims = Wire<typeof wire.PendingClaims>;
export type FailedClaims = Wire<typeof wire.FailedClaims>;

export type QuickMarket = Wire<typeof wire.QuickMarket>;
export type ActiveQuickMarket = Wire<typeof wire.ActiveQuickMarket> | Wire<typeof wire.NoActiveQuickMarket>;
export type QuickMarketHistory = Wire<typeof wire.QuickMarketHistory>;

/** A price of an asset: exact in `price`, for display in `priceUSD`. */
export type CurrentPrice = Wire<typeof wire.CurrentPrice>;
export type PriceHistory = Wire<typeof wire.PriceHistory>;
/** An event of the price stream; its timestamp is in milliseconds. */
export type PriceTick = Wire<typeof wire.PriceStreamEvent>;

export type RelayerResponse = Wire<typeof wire.RelayerAnswer>;
export type BatchRedemptionResponse = Wire<typeof wire.BatchRedemptionAnswer>;
export type RelayedTransactionStatus = Wire<typeof wire.RelayedTransaction> | { readonly found: false };

export type OrderbookMessage = Wire<typeof wire.StreamOrderbook>;
export type OrderbookDelta = Wire<typeof wire.StreamOrderbookDelta>;
/** A trade whose stage changed; for a failed one, with the reason and the party at fault. */
export type TradeStatusUpdate = Wire<typeof wire.StreamTradeStatus>;
export type OrderCancelled = Wire<typeof wire.StreamOrderCancelled>;
/** The first message of an event's stream; best prices of its outcomes follow. */
export type EventUpdate = Wire<typeof wire.StreamEvent>;
export type OutcomeUpdate = Wire<typeof wire.StreamOutcome>;
export type MarketStatusUpdate = Wire<typeof wire.StreamMarket>;
/** A trade from the wallet's side. */
export type UserFill = Wire<typeof wire.StreamFill>;
export type UserBalance = Wire<typeof wire.StreamBalance>;

export type CategoryList = Wire<typeof wire.CategoryList>;
export type Category = CategoryList['categories'][number];
export type CreatedEvent = Wire<typeof wire.CreatedEventAnswer>;
export type CreatedMarket = Wire<typeof wire.CreatedMarketAnswer>;
export type VoidResponse = Wire<typeof wire.VoidAnswer>;
/** What operators have halted, paused and blocked. */
export type TradingControls = Wire<typeof wire.TradingControls>;
export type BlockedWallet = Wire<typeof wire.BlockedWalletAnswer>;
export type FailureList = Wire<typeof wire.FailureList>;
export type RetryResponse = Wire<typeof wire.RetryAnswer>;
export type WebhookStatus = Wire<typeof wire.WebhookStatus>;
export type WebhookRetryResponse = Wire<typeof wire.WebhookRetryAnswer>;
export type OperatorKey = Wire<typeof wire.OperatorKey>;
export type AddedOperatorKey = Wire<typeof wire.AddedOperatorKey>;
export type CheckedMarket = Wire<typeof wire.CheckedMarketAnswer>;
export type ScheduledMarket = Wire<typeof wire.ScheduledMarket>;
export type Schedule = Wire<typeof wire.Schedule>;
export type MarketTemplate = Wire<typeof wire.Template>;
export type MarketTemplateList = Wire<typeof wire.TemplateList>;
export type Approval = Wire<typeof wire.Approval>;
export type ApprovalList = Wire<typeof wire.ApprovalList>;
export type ConfirmedApproval = Wire<typeof wire.ConfirmedApproval>;
export type RejectedApproval = Wire<typeof wire.RejectedApproval>;
export type OperatorKeyList = Wire<typeof wire.OperatorKeyList>;
export type OperatorAction = Wire<typeof wire.OperatorActionEntry>;
export type OperatorActionList = Wire<typeof wire.OperatorActionList>;
/** Fees that takers paid, by day and market. */
export type RevenueList = Wire<typeof wire.RevenueList>;
export type OperatorRight = OperatorKey['rights'][number];

export type FundResponse = Wire<typeof wire.FundAnswer>;
export type AdvanceTimeResponse = Wire<typeof wire.TravelAnswer>;
export type RunMakerResponse = Wire<typeof wire.MakerAnswer>;
