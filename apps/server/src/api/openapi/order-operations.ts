// Orders and API keys, as the documentation tells them.
import {
  ApiKeyAnswer,
  ApiKeyList,
  ApiKeyRegistrationInput,
  ApiKeyRevokedAnswer,
  BatchAnswer,
  BatchInput,
  CancelAllAnswer,
  CancelAnswer,
  HeartbeatAnswer,
  HeartbeatInput,
  OpenOrder,
  OrderLife,
  OrderList,
  OrderSubmissionInput,
  SubmitOrderAnswer,
  ValidationAnswer,
} from '@presage/protocol';
import Type from 'typebox';
import type { Operation } from './operation.ts';
import { MARKET_ID, ORDER_HASH, REQUIRED_CHAIN_ID, WALLET } from './parameters.ts';

const tag = 'Orders';

const SIDE = {
  schema: Type.Enum(['buy', 'sell']),
  description: 'Checked for its spelling only: orders are looked up by hash',
};

export const ORDER_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'post', path: '/api/v1/orders', id: 'submitOrder', tag, access: 'token' },
    summary: 'Place a signed order',
    description:
      'Idempotent by hash: the same signed order posted again answers with the first answer and `Idempotent-Replayed: true`. ' +
      'Accepted means durable.',
    body: OrderSubmissionInput,
    answer: SubmitOrderAnswer,
    errors: [
      'price_out_of_range',
      'size_zero',
      'size_too_small',
      'size_too_large',
      'expiration_too_soon',
      'fee_recipient_not_zero',
      'invalid_signature_length',
      'market_not_found',
      'market_closed',
      'invalid_signature',
      'nonce_already_used',
      'insufficient_balance',
      'insufficient_allowance',
      'invalid_permit',
      'would_cross',
      'fok_not_filled',
      'price_unavailable',
      'chain_unavailable',
    ],
  },
  {
    ...{ method: 'post', path: '/api/v1/orders/batch', id: 'submitOrders', tag, access: 'token' },
    summary: 'Place up to 50 signed orders',
    description: 'Each is judged for itself; a refusal stands in its place in the list.',
    body: BatchInput,
    answer: BatchAnswer,
    errors: ['batch_too_large'],
  },
  {
    ...{ method: 'post', path: '/api/v1/orders/validate', id: 'validateOrder', tag },
    summary: 'Try an order without storing anything',
    description:
      'Answers 200 with every fault in `errors`, the hash and signer found, the funds it takes beside those there are, and the ' +
      'fills it would get now.',
    body: OrderSubmissionInput,
    answer: ValidationAnswer,
  },
  {
    ...{ method: 'get', path: '/api/v1/orders', id: 'listOpenOrders', tag },
    summary: 'Open orders of a trader',
    query: {
      trader: { ...WALLET, required: true },
      market: { ...MARKET_ID, description: 'Only of this market' },
    },
    answer: OrderList,
  },
  {
    ...{ method: 'get', path: '/api/v1/users/:address/orders', id: 'listUserOrders', tag },
    summary: 'Open orders of a wallet across all markets of a chain',
    params: { address: WALLET },
    query: { chain_id: REQUIRED_CHAIN_ID },
    answer: OrderList,
  },
  {
    ...{ method: 'get', path: '/api/v1/orders/:hash', id: 'getOrder', tag },
    summary: 'Any order that ever was',
    params: { hash: ORDER_HASH },
    answer: OpenOrder,
    errors: ['order_not_found'],
  },
  {
    ...{ method: 'get', path: '/api/v1/orders/:hash/events', id: 'getOrderLife', tag },
    summary: "An order's whole life",
    params: { hash: ORDER_HASH },
    answer: OrderLife,
    errors: ['order_not_found'],
  },
  {
    ...{ method: 'delete', path: '/api/v1/orders/:hash', id: 'cancelOrder', tag, access: 'token' },
    summary: 'Cancel an order',
    params: { hash: ORDER_HASH },
    query: { marketId: { ...MARKET_ID, required: true }, side: SIDE },
    answer: CancelAnswer,
    errors: ['order_not_found', 'order_not_open', 'order_not_yours'],
  },
  {
    ...{ method: 'delete', path: '/api/v1/orders', id: 'cancelOrders', tag, access: 'token' },
    summary: 'Cancel all orders of a wallet, in one market or in all',
    query: {
      marketId: { ...MARKET_ID, description: 'Only in this market' },
      trader: { ...WALLET, description: 'Required where authentication is off; else it is the wallet of the token' },
    },
    answer: CancelAllAnswer,
  },
  {
    ...{ method: 'post', path: '/api/v1/orders/heartbeat', id: 'setHeartbeat', tag, access: 'token' },
    summary: 'Arm, renew or disarm the dead-man switch',
    description: "When it lapses, all of the wallet's orders are cancelled.",
    body: HeartbeatInput,
    answer: HeartbeatAnswer,
  },
];

export const KEY_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'post', path: '/api/v1/api-keys', id: 'registerApiKey', tag: 'API keys', access: 'wallet' },
    summary: 'Register an API key by wallet signature',
    body: ApiKeyRegistrationInput,
    answer: ApiKeyAnswer,
    errors: ['invalid_wallet_signature', 'too_many_api_keys'],
  },
  {
    ...{ method: 'post', path: '/api/v1/api-keys/list', id: 'listApiKeys', tag: 'API keys', access: 'key' },
    summary: "The wallet's API keys",
    answer: ApiKeyList,
  },
  {
    ...{ method: 'delete', path: '/api/v1/api-keys/:id', id: 'revokeApiKey', tag: 'API keys', access: 'key' },
    summary: 'Revoke an API key of the same wallet',
    params: { id: { schema: Type.String({ minLength: 1 }), description: 'API key id' } },
    answer: ApiKeyRevokedAnswer,
    errors: ['api_key_not_found', 'api_key_not_yours'],
  },
];
