// Reads of one wallet: its orders, positions, balances, claims and nonces. All of it is public.
import type { CallOptions, Http, Query } from '../http.ts';
import { toAddress, toBytes32, toMarketName } from '../inputs.ts';
import type {
  ClaimableList,
  ClaimDataList,
  ContractNonce,
  FailedClaims,
  Leaderboard,
  NoPosition,
  OpenOrder,
  OrderEvents,
  OrderList,
  PendingClaims,
  PnlHistory,
  PnlInterval,
  Position,
  RelayedTransactionStatus,
  SyncPositionResponse,
  UserActivity,
  UserPositions,
  UserStatistics,
  WalletApprovals,
  WalletBalances,
} from '../types.ts';

interface OnChain {
  readonly chain_id: number;
}

interface LeaderboardQuery {
  readonly period?: Leaderboard['period'];
  readonly sort?: Leaderboard['sort'];
  readonly limit?: number;
}

type UserRead<A, Q = OnChain> = (address: string, query: Q, options?: CallOptions) => Promise<A>;

function userReader(http: Http) {
  return <A, Q extends Query = OnChain>(path: string): UserRead<A, Q> =>
    (address, query, options) =>
      http.get(`/api/v1/users/${toAddress('address', address)}/${path}`, query, options);
}

export function userReads(http: Http) {
  const ofUser = userReader(http);

  return {
    /** A wallet's position in one market, by the market's id or address. */
    getPosition: (market: string, user: string, options?: CallOptions): Promise<Position | NoPosition> =>
      http.get(`/api/v1/positions/${toMarketName(market)}`, { user: toAddress('user', user) }, options),
    /** A wallet's positions in all markets with their value; with `shares: 'any'`, also closed ones. */
    listPositions: ofUser<UserPositions, OnChain & { readonly shares?: 'held' | 'any' }>('positions'),
    /** Profit and loss over time, realized and unrealized; the newest point equals `getUserStatistics`. */
    getPnlHistory: (
      address: string,
      query: Partial<OnChain> & { readonly interval?: PnlInterval } = {},
      options?: CallOptions,
    ): Promise<PnlHistory> => ofUser<PnlHistory, typeof query>('pnl')(address, query, options),
    /** Syncs a position from the chain. */
    syncPosition: (market: string, userAddress: string, { signal }: CallOptions = {}): Promise<SyncPositionResponse> =>
      http.send({
        method: 'POST',
        path: `/api/v1/positions/${toMarketName(market)}/sync`,
        body: { userAddress: toAddress('userAddress', userAddress) },
        signal,
        repeatable: 'always',
      }),
    /** Trades and payouts of a wallet. */
    getUserActivity: ofUser<UserActivity, OnChain & { readonly limit?: number }>('activity'),
    /** Cost, value and profit of a wallet. */
    getUserStatistics: (address: string, options?: CallOptions): Promise<UserStatistics> =>
      http.get('/api/v1/user-stats', { address: toAddress('address', address) }, options),
    /** The wallets with the most volume in the day or week of UTC or in all, or the most profitable of those. */
    getLeaderboard: (query: LeaderboardQuery = {}, options?: CallOptions): Promise<Leaderboard> =>
      http.get('/api/v1/leaderboard', query, options),
    /**
     * Stablecoin of a wallet: balance, allowance, reserved, available and, if requested, the effect of unsettled fills.
     * Decimal strings in units.
     */
    getBalances: ofUser<WalletBalances, OnChain & { readonly spender?: string; readonly include?: 'unsettled' }>(
      'balances',
    ),
    /** Allowances and approvals of a wallet for the contracts of the exchange. */
    getApprovals: ofUser<WalletApprovals>('approvals'),
    /** The next nonce of a wallet's permits at a contract; pending relayed calls are counted. */
    getContractNonce: (
      contract: string,
      owner: string,
      query: OnChain,
      options?: CallOptions,
    ): Promise<ContractNonce> => {
      const path = `${toAddress('contract', contract)}/${toAddress('owner', owner)}`;
      return http.get(`/api/v1/contracts/nonce/${path}`, query, options);
    },
  };
}

export interface OrdersQuery {
  readonly market?: string;
  /** `open` by default. */
  readonly status?: 'open' | 'partially_filled' | 'filled' | 'cancelled' | 'expired' | 'all';
}

export function orderReads(http: Http) {
  const read = <A>(orderHash: string, path: string, options?: CallOptions): Promise<A> =>
    http.get(`/api/v1/orders/${toBytes32('orderHash', orderHash)}${path}`, {}, options);

  return {
    /** Orders of a wallet, newest first, in one market or in all: open ones, or by their status those placed in the last 24 hours. */
    listOrders: (trader: string, query: OrdersQuery = {}, options?: CallOptions): Promise<OrderList> =>
      http.get('/api/v1/orders', { trader: toAddress('trader', trader), ...query }, options),
    /** Open orders of a wallet on one chain. */
    listUserOrders: userReader(http)<OrderList>('orders'),
    /** Any order, open or final. */
    getOrder: (orderHash: string, options?: CallOptions): Promise<OpenOrder> => read(orderHash, '', options),
    /** The events of an order: accepted, each fill, each settlement attempt, its end. */
    getOrderEvents: (orderHash: string, options?: CallOptions): Promise<OrderEvents> =>
      read(orderHash, '/events', options),
  };
}

export function claimReads(http: Http) {
  const ofUser = userReader(http);

  return {
    /** Winnings in resolved markets that the wallet has not redeemed. */
    listClaimable: ofUser<ClaimableList>('claimable'),
    /** The data needed to sign redemptions in these markets, given by id or address. */
    getClaimData: (
      address: string,
      { chain_id, markets }: OnChain & { readonly markets: readonly string[] },
      options?: CallOptions,
    ): Promise<ClaimDataList> =>
      ofUser<ClaimDataList, object>('claim-data')(address, { chain_id, markets: markets.join(',') }, options),
    /** Pending redemptions. */
    listPendingClaims: http.reader<PendingClaims>('/api/v1/pending-claims'),
    /** Redemptions that failed, with the reason. */
    listFailedClaims: http.reader<FailedClaims>('/api/v1/failed-claims'),
    /** The status of a relayed transaction. */
    getRelayedTransaction: (txHash: string, options?: CallOptions): Promise<RelayedTransactionStatus> =>
      http.get(`/api/v1/relayer/transactions/${toBytes32('txHash', txHash)}`, {}, options),
  };
}
