// Wallets and what the service says of itself, as the documentation tells them.
import {
  AddressText,
  ClaimableList,
  ClaimDataList,
  ContractNonce,
  NoPosition,
  Position,
  PositionSynced,
  ServiceConfig,
  ServiceHealth,
  ServiceReadiness,
  ServiceStatus,
  ServiceTime,
  UserActivity,
  UserPositions,
  UserStatistics,
  WalletApprovals,
  WalletBalances,
} from '@presage/protocol';
import Type from 'typebox';
import type { Operation } from './operation.ts';
import { ACTIVITY_LIMIT, MARKET_NAME, REQUIRED_CHAIN_ID, WALLET } from './parameters.ts';

const wallets = { method: 'get', tag: 'Wallets' } as const;
const service = { method: 'get', tag: 'Service' } as const;
const ofWallet = { params: { address: WALLET }, query: { chain_id: REQUIRED_CHAIN_ID } } as const;

export const WALLET_OPERATIONS: readonly Operation[] = [
  {
    ...{ ...wallets, path: '/api/v1/positions/:market', id: 'getPosition' },
    summary: 'A wallet’s position in a market',
    params: { market: MARKET_NAME },
    query: { user: { ...WALLET, required: true } },
    answer: Type.Union([Position, NoPosition]),
  },
  {
    ...{ ...wallets, method: 'post', path: '/api/v1/positions/:market/sync', id: 'syncPosition' },
    summary: 'Read a position from the chain now',
    params: { market: MARKET_NAME },
    query: { userAddress: { ...WALLET, description: 'Where the body does not name it' } },
    body: Type.Object({ userAddress: Type.Optional(AddressText) }),
    isBodyOptional: true,
    answer: PositionSynced,
    errors: ['market_not_found', 'chain_sync_unavailable'],
  },
  {
    ...{ ...wallets, ...ofWallet, path: '/api/v1/users/:address/positions', id: 'listPositions' },
    summary: 'All positions of a wallet',
    answer: UserPositions,
  },
  {
    ...{ ...wallets, path: '/api/v1/users/:address/activity', id: 'getUserActivity' },
    summary: 'Trades and payouts of a wallet',
    params: { address: WALLET },
    query: { chain_id: REQUIRED_CHAIN_ID, limit: ACTIVITY_LIMIT },
    answer: UserActivity,
  },
  {
    ...{ ...wallets, path: '/api/v1/user-stats', id: 'getUserStatistics' },
    summary: 'How a wallet stands',
    query: { address: { ...WALLET, required: true } },
    answer: UserStatistics,
  },
  {
    ...{ ...wallets, path: '/api/v1/users/:address/balances', id: 'getBalances' },
    summary: 'Stablecoin of a wallet: held, approved, reserved, available',
    params: { address: WALLET },
    query: { chain_id: REQUIRED_CHAIN_ID, spender: { ...WALLET, description: 'Settlement contract when absent' } },
    answer: WalletBalances,
    errors: ['chain_unavailable'],
  },
  {
    ...{ ...wallets, ...ofWallet, path: '/api/v1/users/:address/approvals', id: 'getApprovals' },
    summary: 'What a wallet lets the contracts of the exchange take',
    answer: WalletApprovals,
    errors: ['not_found', 'chain_unavailable'],
  },
  {
    ...{ ...wallets, ...ofWallet, path: '/api/v1/users/:address/claimable', id: 'listClaimable' },
    summary: 'What a wallet can redeem',
    answer: ClaimableList,
    errors: ['chain_unavailable'],
  },
  {
    ...{ ...wallets, path: '/api/v1/users/:address/claim-data', id: 'getClaimData' },
    summary: 'What it takes to sign redemptions',
    params: { address: WALLET },
    query: {
      chain_id: REQUIRED_CHAIN_ID,
      markets: {
        schema: Type.String({
          pattern: '^0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})(,0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64}))*$',
        }),
        description: 'Ids or addresses, separated by commas',
        required: true,
      },
    },
    answer: ClaimDataList,
    errors: ['market_not_found', 'chain_unavailable'],
  },
  {
    ...{ ...wallets, path: '/api/v1/contracts/nonce/:contract/:owner', id: 'getContractNonce' },
    summary: 'The next nonce to sign with, calls in flight counted',
    params: {
      contract: { ...WALLET, description: 'Stablecoin, conditional tokens or a market' },
      owner: { ...WALLET, description: 'The signer' },
    },
    query: { chain_id: REQUIRED_CHAIN_ID },
    answer: ContractNonce,
    errors: ['not_found', 'chain_unavailable'],
  },
];

export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    ...{ ...service, path: '/api/v1/config', id: 'getConfig' },
    summary: 'Everything that a client needs in order to sign anything',
    answer: ServiceConfig,
  },
  { ...{ ...service, path: '/api/v1/time', id: 'getTime' }, summary: "The service's clock", answer: ServiceTime },
  {
    ...{ ...service, path: '/api/v1/status', id: 'getStatus' },
    summary: "The operator's screen: dependencies, queues, rates, latency",
    answer: ServiceStatus,
  },
  {
    ...{ ...service, path: '/api/v1/stream', id: 'openStream' },
    summary: 'WebSocket: books, trades, orders and resolutions as they happen',
    description: 'Upgrade to a WebSocket; the messages are described in `/asyncapi.json`.',
    answer: Type.Object({}, { additionalProperties: true, description: 'one JSON object a frame' }),
    contentType: 'application/x-websocket-frame',
    errors: ['upgrade_required'],
  },
  { ...{ ...service, path: '/health', id: 'getHealth' }, summary: 'The process is alive', answer: ServiceHealth },
  {
    ...{ ...service, path: '/ready', id: 'getReadiness' },
    summary: 'The service can be used; 503 until then',
    answer: ServiceReadiness,
  },
  {
    ...{ ...service, path: '/metrics', id: 'getMetrics' },
    summary: 'Prometheus metrics',
    answer: Type.String(),
    contentType: 'text/plain',
  },
];
