// One wallet: its orders, positions, balances, claims and nonces. All of it is public.
import type { CallOptions, Http, Query } from '../http.ts';
import { toAddress, toBytes32, toMarketName } from '../inputs.ts';
import type {
  ClaimableList,
  ClaimDataList,
  ContractNonce,
  FailedClaims,
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

export interface OnChain {
  readonly chain_id: number;
}

export function userReads(http: Http) {
  const ofUser = <T>(path: string, address: string, query: Query, options?: CallOptions): Promise<T> =>
    http.get(`/api/v1/users/${toAddress('address', address)}/${path}`, query, options);

  return {
    /** Open orders of a wallet, newest first, in one market or in all. */
    listOrders: (trader: string, query: { readonly market?: string } = {}, options?: CallOptions): Promise<OrderList> =>
      http.get('/api/v1/orders', { trader: toAddress('trader', trader), ...query }, options),

    /** Open orders of a wallet on one chain. */
    listUserOrders: (address: string, query: OnChain, options?: CallOptions): Promise<OrderList> =>
      ofUser('orders', address, query, options),

    /** Any order, open or final. */
    getOrder: (orderHash: string, options?: CallOptions): Promise<OpenOrder> =>
      http.get(`/api/v1/orders/${toBytes32('orderHash', orderHash)}`, {}, options),

    /** The events of an order: accepted, each fill, each settlement attempt, its end. */
    getOrderEvents: (orderHash: string, options?: CallOptions): Promise<OrderEvents> =>
      http.get(`/api/v1/orders/${toBytes32('orderHash', orderHash)}/events`, {}, options),

    /** What a wallet holds in one market, by the market's id or address. */
    getPosition: (market: string, user: string, options?: CallOptions): Promise<Position | NoPosition> =>
      http.get(`/api/v1/positions/${toMarketName(market)}`, { user: toAddress('user', user) }, options),

    /** What a wallet holds in every market and what it is worth; with `shares: 'any'`, also where nothing is held any more. */
    listPositions: (
      address: string,
      query: OnChain & { readonly shares?: 'held' | 'any' },
      options?: CallOptions,
    ): Promise<UserPositions> => ofUser('positions', address, query, options),

    /** Profit and loss over time, realized and unrealized; the newest point equals `getUserStatistics`. */
    getPnlHistory: (
      address: string,
      query: Partial<OnChain> & { readonly interval?: PnlInterval } = {},
      options?: CallOptions,
    ): Promise<PnlHistory> => ofUser('pnl', address, query, options),

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
    getUserActivity: (
      address: string,
      query: OnChain & { readonly limit?: number },
      options?: CallOptions,
    ): Promise<UserActivity> => ofUser('activity', address, query, options),

    /** Cost, value and profit of a wallet. */
    getUserStatistics: (address: string, options?: CallOptions): Promise<UserStatistics> =>
      http.get('/api/v1/user-stats', { address: toAddress('address', address) }, options),

    /** Stablecoin of a wallet: balance, allowance, reserved, available. Decimal strings in units. */
    getBalances: (
      address: string,
      query: OnChain & { readonly spender?: string },
      options?: CallOptions,
    ): Promise<WalletBalances> => ofUser('balances', address, query, options),

    /** What a wallet has approved for the contracts of the exchange. */
    getApprovals: (address: string, query: OnChain, options?: CallOptions): Promise<WalletApprovals> =>
      ofUser('approvals', address, query, options),

    /** Winnings in resolved markets that the wallet has not redeemed. */
    listClaimable: (address: string, query: OnChain, options?: CallOptions): Promise<ClaimableList> =>
      ofUser('claimable', address, query, options),

    /** The data needed to sign redemptions in these markets, given by id or address. */
    getClaimData: (
      address: string,
      query: OnChain & { readonly markets: readonly string[] },
      options?: CallOptions,
    ): Promise<ClaimDataList> =>
      ofUser('claim-data', address, { chain_id: query.chain_id, markets: query.markets.join(',') }, options),

    /** The next nonce of a wallet's permits at a contract; pending relayed calls are counted. */
    getContractNonce: (
      contract: string,
      owner: string,
      query: OnChain,
      options?: CallOptions,
    ): Promise<ContractNonce> =>
      http.get(
        `/api/v1/contracts/nonce/${toAddress('contract', contract)}/${toAddress('owner', owner)}`,
        query,
        options,
      ),

    /** Pending redemptions. */
    listPendingClaims: (options?: CallOptions): Promise<PendingClaims> =>
      http.get('/api/v1/pending-claims', {}, options),

    /** Redemptions that failed, with the reason. */
    listFailedClaims: (options?: CallOptions): Promise<FailedClaims> => http.get('/api/v1/failed-claims', {}, options),

    /** The status of a relayed transaction. */
    getRelayedTransaction: (txHash: string, options?: CallOptions): Promise<RelayedTransactionStatus> =>
      http.get(`/api/v1/relayer/transactions/${toBytes32('txHash', txHash)}`, {}, options),
  };
}
