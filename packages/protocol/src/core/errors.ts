// The catalogue of every error that Presage can answer with. Codes are permanent: a retired one never returns.
import { sentenceOf } from './error-sentences.ts';

export interface CatalogueEntry {
  readonly status: number;
  /** One English sentence, used if the details allow no better one. Clients compare those of authentication and relayer, so they never change. */
  readonly error: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  readonly remedy: string;
}

function entry(status: number, error: string, remedy: string, retryable = false): CatalogueEntry {
  return { status, error, retryable, remedy };
}

/** Refusals of the operators' endpoints only: clients of traders do not need them. */
export const OPERATOR_ERRORS = {
  token_for_other_request: entry(
    401,
    'This token was not signed for this request',
    'Sign service, method, path and bodyHash of this request into the token; details.field names the one that differs.',
  ),
  right_missing: entry(
    403,
    'This operator key may not do that',
    'Use a key that has details.right; an operator with the right keys grants it.',
  ),
  operator_key_fixed: entry(
    409,
    'This operator key is set in the configuration',
    'Remove it from PRESAGE_OPERATOR_KEYS and restart the service.',
  ),
  last_operator_key: entry(
    409,
    'This is the last operator key with the right keys',
    'Give another key that right first.',
  ),
  operator_key_not_found: entry(404, 'No operator key has this id', 'GET /admin/v1/keys lists them.'),
  market_has_traded: entry(
    409,
    'The texts of a market stay as they are from its first trade on',
    'Category and picture can still be changed; for another question make another market.',
  ),
  creator_not_configured: entry(
    409,
    'No key that may create markets is configured for this chain',
    'Set creatorKey in the chains file to a key that has CREATOR_ROLE, and restart the service.',
  ),
  not_voidable: entry(
    409,
    'The contract does not let this market be voided now',
    'Before details.voidableFrom propose outcome 2. A quick market without an end price voids itself.',
  ),
  approval_not_found: entry(
    404,
    'No request with this id waits for a confirmation',
    'It was confirmed or rejected, or the key that asked was revoked. GET /admin/v1/approvals lists those that wait.',
  ),
  approval_expired: entry(409, 'This request was not confirmed in time', 'Ask for the action again.'),
  approval_by_requester: entry(
    403,
    'The operator key that asked cannot confirm',
    'Confirm with the key of another operator.',
  ),
  too_many_approvals: entry(
    409,
    '100 requests wait for a confirmation, the most that may',
    'Confirm or reject some of GET /admin/v1/approvals first.',
  ),
  template_not_found: entry(404, 'No template has this id', 'GET /admin/v1/templates lists them.'),
  schedule_not_found: entry(
    404,
    'No market is scheduled under this id',
    'It was created or cancelled already. GET /admin/v1/schedule lists those that wait.',
  ),
  too_many_plans: entry(
    409,
    'There are 200 templates or 1,000 scheduled markets, the most there may be',
    'Remove some of them first.',
  ),
  category_not_found: entry(404, 'No category has this id', 'GET /api/v1/categories lists them.'),
  category_fixed: entry(409, 'The category general cannot be removed', 'Rename it, or remove another one.'),
};

export const ERRORS = {
  // Every endpoint
  invalid_json: entry(400, 'The body is not valid JSON', 'Send one JSON object; details.reason says where it breaks.'),
  invalid_field: entry(
    400,
    'A field is missing or malformed',
    'Correct details.field; details.expected says what it takes.',
  ),
  not_found: entry(404, 'There is nothing at this path', 'Check the path and the id in it; /docs lists every path.'),
  method_not_allowed: entry(405, 'This path does not take that method', 'The Allow header lists the methods it takes.'),
  unsupported_media_type: entry(415, 'The body is not JSON', 'Send Content-Type: application/json.'),
  body_too_large: entry(413, 'The body is larger than 64 KiB', 'Split the request; batches take at most 50 orders.'),
  malformed_request: entry(
    400,
    'The request is not valid HTTP',
    'Use an HTTP client; details.reason says what is wrong.',
  ),
  request_timeout: entry(
    408,
    'The request did not arrive in time',
    'Send the headers within 10 s, the whole request within 30 s.',
  ),
  headers_too_large: entry(431, 'The headers are larger than 16 KiB', 'Send fewer or shorter headers.'),
  host_not_allowed: entry(
    403,
    'The service does not answer to this name',
    'Use its address; the operator can allow the name in PRESAGE_ALLOWED_HOSTS.',
  ),
  origin_not_allowed: entry(
    403,
    'Pages of this origin may not write to this service',
    "Use the service's own page; the operator can allow this one in PRESAGE_CORS_ORIGINS. Programs should send no Origin.",
  ),
  rate_limited: entry(429, 'Too many requests', 'Wait for the seconds in Retry-After.', true),
  recovering: entry(
    425,
    'The service is starting and still recovers its state',
    'Wait for the seconds in Retry-After; GET /ready shows when it is done.',
    true,
  ),
  view_behind: entry(
    503,
    'Lists and figures have not caught up with the last writes',
    'Retry in a second; what was answered is safe.',
    true,
  ),
  overloaded: entry(503, 'The service is overloaded', 'Wait for the seconds in Retry-After.', true),
  journal_unavailable: entry(
    503,
    'The service cannot write its journal, so it takes no writes',
    'Send the same request again when GET /ready no longer names disk or journal; it is never taken twice. Reads work. The operator must mend the disk or database.',
    true,
  ),
  partition_unavailable: entry(
    503,
    'The part of the exchange that decides on this is being handed to another node',
    'Send the same request again; it is never taken twice.',
    true,
  ),
  database_unavailable: entry(503, 'The database cannot be reached', 'Orders still work; retry this read later.', true),
  chain_unavailable: entry(
    503,
    'The chain cannot be reached',
    'Orders still match; retry when GET /api/v1/status shows the chain up.',
    true,
  ),
  internal: entry(
    500,
    'The service failed in an unexpected way',
    'Report the request id. A write was not accepted unless a read shows it.',
    true,
  ),

  // Orders
  price_out_of_range: entry(400, 'The price is outside 1 to 999999', 'Prices have 6 decimals: 550000 is 0.55.'),
  size_zero: entry(400, 'The size is zero', 'Sizes have 6 decimals: 1000000 is one share.'),
  size_too_small: entry(400, 'The size is below the minimum order size', 'Order at least details.minimum.'),
  size_too_large: entry(400, 'The size is above 9007199254740991', 'Split the order.'),
  expiration_too_soon: entry(
    400,
    'The expiration is less than 60 seconds ahead',
    'Compare with GET /api/v1/time: details.now is the service clock.',
  ),
  fee_recipient_not_zero: entry(
    400,
    'makerFeeRecipient is not the zero address',
    'Sign the order with the zero address.',
  ),
  invalid_signature_length: entry(400, 'The signature is not 65 bytes', 'Send r, s and v as 130 hex digits.'),
  market_not_found: entry(404, 'No market has this id', 'GET /api/v1/markets lists them.'),
  event_not_found: entry(404, 'No event has this id', 'GET /api/v1/events lists them.'),
  event_needs_winner: entry(
    409,
    'An event is resolved by its winner, not by an outcome that lost',
    'Propose true for the market of the outcome that won, or 2 if none of them can be the answer.',
  ),
  events_not_deployed: entry(
    409,
    'The contracts of this chain have no events',
    'Deploy contracts of version 6, or start a new sandbox.',
  ),
  market_closed: entry(409, 'The market is closed for trading', 'Choose an open market.'),
  invalid_signature: entry(
    400,
    'The signature does not recover to the trader',
    'Sign the typed data with the domain in details.domain; details.recoveredSigner is who signed.',
  ),
  trading_halted: entry(
    409,
    'This wallet has stopped all its orders on the chain',
    'Resume with the same wallet: in the wallet menu of the page, by `presage leave resume`, or by POST /api/v1/relayer/resume-trading.',
  ),
  exchange_halted: entry(
    503,
    'The operator has halted trading',
    'Cancels still work. Retry when trading resumes: GET /api/v1/status shows it.',
    true,
  ),
  market_paused: entry(
    503,
    'The operator has paused this market',
    'Cancels still work. Retry when the market is no longer paused.',
    true,
  ),
  wallet_blocked: entry(
    403,
    'The operator takes no orders from this wallet',
    'Cancels, transfers and redemptions still work. Ask the operator.',
  ),
  not_admitted: entry(
    403,
    'The operator does not admit this order',
    'Ask the operator about details.reason. Cancels still work.',
  ),
  admission_unavailable: entry(
    503,
    "The operator's check of wallets does not answer, so this order is not admitted",
    'Retry in a few seconds.',
    true,
  ),
  nonce_already_used: entry(
    409,
    'This trader has used this nonce in this market',
    'Sign with a nonce that is unused in this market; counting upward is cheapest.',
  ),
  insufficient_balance: entry(
    400,
    'The wallet does not hold enough for this order',
    'Fund the wallet or order less; details.fix says how much is missing.',
  ),
  insufficient_allowance: entry(
    400,
    'The wallet has not approved enough for this order',
    'Approve details.spender as details.fix says, or send a permitSignature.',
  ),
  invalid_permit: entry(
    400,
    'The permit signature is not valid',
    'Sign again with details.nonce and a value of at least details.required.',
  ),
  would_cross: entry(409, 'A post-only order would have traded at once', 'Move the price away from details.bestPrice.'),
  would_increase: entry(
    409,
    'A reduce-only order would have opened or increased a position',
    'Sell at most details.available shares of the outcome; a reduce-only order never buys.',
  ),
  fok_not_filled: entry(
    409,
    'A fill-or-kill order could not be filled whole',
    'Order at most details.fillable, or use IOC. Nothing was placed.',
  ),
  order_not_found: entry(404, 'No order has this hash', 'Check the hash and, if one was given, the marketId.'),
  order_not_open: entry(409, 'The order is already final', 'details.status says how it ended.'),
  order_not_yours: entry(403, 'This order belongs to another wallet', 'Use an API key of the wallet that placed it.'),
  batch_too_large: entry(400, 'A batch takes at most 50 orders', 'Split it.'),
  batch_not_filled: entry(
    409,
    'An order of the atomic batch cannot be placed, so none was',
    'Correct the order at details.index, counted from 0, and send the whole batch again.',
  ),
  batch_across_partitions: entry(
    400,
    'The markets of an atomic batch are in different partitions of the journal',
    'Send it apart; markets of one event always share a partition.',
  ),

  // Trades
  settlement_failed: entry(
    409,
    'The trade could not be settled',
    'details.reason says why. Both remainders were cancelled.',
  ),
  archive_not_found: entry(
    404,
    'This day is not archived here',
    'An operator may archive a day once it is over. Make it yourself from the public journal with `presage archive`.',
  ),
  trade_not_found: entry(404, 'No unsettled trade has this id', 'It may be final already.'),
  trade_move_refused: entry(409, 'The trade cannot move to that stage', 'details.from and details.to name the stages.'),
  chain_sync_unavailable: entry(503, 'Chain sync is unavailable', 'Retry when the chain answers again.', true),
  market_already_listed: entry(409, 'This market is listed already', 'Nothing to do.'),

  // Authentication: fixed texts, in the order of the checks (docs/protocol.md)
  missing_authorization_header: entry(401, 'missing authorization header', 'Send Authorization: Bearer <token>.'),
  invalid_authorization_format: entry(401, 'invalid authorization format', 'Send Authorization: Bearer <token>.'),
  invalid_token_format: entry(
    401,
    'invalid token format',
    'A token is base64url(payload).base64url(signature), n is 32 hex characters.',
  ),
  token_expired: entry(
    401,
    'token expired',
    'Make a new token: it lives 5 minutes from ts, and ts may be at most 60 seconds ahead. If details.now is not your time, your clock is off.',
  ),
  api_key_not_found: entry(401, 'API key not found', 'Register a key with POST /api/v1/api-keys.'),
  api_key_inactive: entry(401, 'API key is inactive', 'The key was revoked: register another.'),
  api_key_expired: entry(401, 'API key has expired', 'Register another key.'),
  invalid_token_signature: entry(
    401,
    'invalid signature',
    'Sign the payload bytes with the key returned at registration.',
  ),
  token_already_used: entry(401, 'token already used', 'Tokens are single-use: make a new one with a fresh n.'),
  invalid_wallet_signature: entry(
    401,
    'invalid signature',
    'Sign apiKeyMessagePrefix of GET /api/v1/config and then the address, as you send it, with that wallet.',
  ),
  too_many_api_keys: entry(409, 'This wallet has 10 active API keys, the most it may have', 'Revoke one first.'),
  api_key_not_yours: entry(403, 'This API key belongs to another wallet', 'Use a token of the same wallet.'),

  // Operators
  ...OPERATOR_ERRORS,

  // Relayer: fixed texts
  invalid_request_body: entry(400, 'Invalid request body', 'details.field names what is missing or malformed.'),
  invalid_address_format: entry(400, 'Invalid address format', 'Addresses are 0x and 40 hex digits.'),
  invalid_signature_format: entry(400, 'Invalid signature format', 'r and s are 0x and 64 hex digits each.'),
  no_relayer_for_chain: entry(400, 'No relayer configured for chain', 'GET /api/v1/config lists the chains.'),
  deadline_passed: entry(400, 'The deadline has passed', 'Sign again with a later deadline.'),
  simulation_failed: entry(400, 'The transaction would fail', 'Remove the cause, and sign again.'),
  nothing_to_redeem: entry(
    400,
    'There is nothing to redeem',
    'GET /api/v1/users/{address}/claimable lists what can be redeemed.',
  ),
  spender_not_allowed: entry(
    400,
    'This spender is not allowed',
    'Name the settlement or the conditional-tokens contract.',
  ),
  call_not_allowed: entry(
    400,
    'The relayer does not send this call',
    'details.field names the argument, details.expected what it takes.',
  ),
  relayer_busy: entry(503, 'An earlier call of this wallet is still on its way', 'Retry in a few seconds.', true),
  relayer_budget_spent: entry(429, "The relayer's budget is spent", 'Wait for the seconds in Retry-After.', true),

  // Stream
  upgrade_required: entry(
    426,
    'This path speaks WebSocket',
    'Connect with a WebSocket client; GET /asyncapi.json describes the messages.',
  ),
  too_many_subscriptions: entry(
    429,
    'A connection takes at most 256 subscriptions',
    'Unsubscribe from some, or open another connection.',
  ),
  frame_too_large: entry(413, 'A message to the stream is at most 4 KiB', 'Send one small JSON object a frame.'),

  // Resolution, in the sandbox
  nothing_to_dispute: entry(
    409,
    'There is no undisputed proposal to dispute',
    'Propose a resolution first; details.status says where the market stands.',
  ),
  nothing_to_arbitrate: entry(
    409,
    'There is no dispute to decide',
    'Dispute a proposal first; details.status says where the market stands.',
  ),

  // Quick markets
  asset_not_supported: entry(404, 'This asset is not configured', 'GET /api/v1/config lists the assets.'),
  asset_not_found: entry(404, 'There are no quick markets of this asset', 'GET /api/v1/config lists the assets.'),
  price_unavailable: entry(503, 'No fresh price for this asset', 'Trading resumes by itself when a price comes.', true),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes that were published once and are retired; a test keeps them from coming back. */
export const RETIRED_CODES: readonly string[] = [];

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A refusal on its way to the caller: a value to return or throw, never a surprise. */
export class PresageError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, details?: ErrorDetails) {
    super(sentenceOf(code, details) ?? ERRORS[code].error);
    this.name = 'PresageError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}

/** A fault in one order of an atomic batch refuses the whole batch. */
export function batchNotFilled(
  index: number,
  { code, details }: { readonly code: ErrorCode; readonly details?: ErrorDetails | undefined },
): PresageError {
  return new PresageError('batch_not_filled', { index, code, ...(details && { details }) });
}
