// What a refusal says is understood by somebody who sees only that answer: the name, the number and the reason are in it.
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, type ErrorDetails, LIMITS, PresageError } from '../src/index.ts';

const SENTENCES: readonly (readonly [code: ErrorCode, details: ErrorDetails, sentence: string])[] = [
  ['not_found', { path: '/api/v1/nothing' }, 'There is nothing at the path /api/v1/nothing'],
  [
    'invalid_field',
    { field: 'question', expected: 'a text of 1 to 512 characters', got: '' },
    'question must be a text of 1 to 512 characters: got an empty text',
  ],
  [
    'not_voidable',
    { voidableFrom: 1_801_611_139 },
    'The contract does not let this market be voided now: it does from 2027-02-02 23:32:19 UTC on',
  ],
  ['not_found', { keyId: 'k1' }, 'No API key of this service has the id k1'],
  ['not_found', { chainId: 5 }, 'Chain 5 is not served here'],
  ['not_found', { contract: '0xab', chainId: 5 }, '0xab is no contract of chain 5 that has nonces here'],
  ['not_found', { partition: 'control' }, 'No public partition of the journal is called control'],
  [
    'malformed_request',
    { reason: 'Invalid method encountered' },
    'The request is not valid HTTP: Invalid method encountered',
  ],
  [
    'method_not_allowed',
    { method: 'PUT', allowed: ['GET', 'POST'] },
    'This path does not take PUT: it takes GET, POST',
  ],
  ['unsupported_media_type', { contentEncoding: 'gzip' }, 'The body must not be compressed: got Content-Encoding gzip'],
  [
    'unsupported_media_type',
    { expected: 'application/json', contentType: 'application/x-www-form-urlencoded' },
    'The Content-Type must be application/json: got application/x-www-form-urlencoded',
  ],
  [
    'unsupported_media_type',
    { expected: 'application/json' },
    'The Content-Type must be application/json: the request has none',
  ],
  ['invalid_signature_length', { gotDigits: 128 }, 'signature must be 65 bytes, 130 hex digits: got 128 digits'],
  [
    'invalid_signature_length',
    { reason: 'it has characters that are no hex digits' },
    'signature must be 65 bytes, 130 hex digits: it has characters that are no hex digits',
  ],
  [
    'invalid_signature',
    { mistake: `the domain's verifyingContract was 0x${'1'.repeat(40)}, it is 0x${'2'.repeat(40)}` },
    `The signature does not recover to the trader: the domain's verifyingContract was 0x${'1'.repeat(40)}, it is 0x${'2'.repeat(40)}`,
  ],
  ['host_not_allowed', { host: 'evil.example' }, 'The service does not answer to the name evil.example'],
  [
    'origin_not_allowed',
    { origin: 'https://evil.example' },
    'Pages of https://evil.example may not write to this service',
  ],
  ['overloaded', { reason: 'shutting down' }, 'The service takes no further requests: shutting down'],
  ['rate_limited', { limit: 200, retryAfterSeconds: 3 }, 'Too many requests (429): at most 200 at once, wait 3 s'],
  ['rate_limited', { limit: 20, perSeconds: 1 }, 'Too many messages: a connection may send 20 a second'],
  [
    'rate_limited',
    { reason: 'the signature queue is full', retryAfterSeconds: 1 },
    'Too many requests (429): the signature queue is full, wait 1 s',
  ],
  ['exchange_halted', { reason: 'an upgrade' }, 'The operator has halted trading: an upgrade'],
  ['exchange_halted', { reason: '' }, 'The operator has halted trading'],
  ['market_paused', { reason: 'a typo' }, 'The operator has paused this market: a typo'],
  [
    'insufficient_balance',
    { required: '550000', available: '2', reserved: '10' },
    "The wallet's balance does not cover this order: it takes 550000 millionths, and 2 are left beside 10 that other orders reserve",
  ],
  [
    'would_increase',
    { size: '5', available: '0' },
    'A reduce-only order may only sell shares that are held and free: it is of 5 millionths, and 0 are',
  ],
  [
    'simulation_failed',
    { reason: 'WindowStillOpen(1763474400)' },
    'The transaction would fail: the dispute window is still open. Settle the market once it is over (WindowStillOpen(1763474400))',
  ],
  [
    'simulation_failed',
    { reason: 'BondUnavailable(0xab, 12, 98)' },
    'The transaction would fail: the wallet does not hold the bond, or has not approved it. Fund it, or approve the bond (BondUnavailable(0xab, 12, 98))',
  ],
  ['simulation_failed', { reason: 'NotOwner()' }, 'The transaction would fail: NotOwner()'],
  ['simulation_failed', { reason: 'the token is paused' }, 'The transaction would fail: the token is paused'],
  [
    'invalid_permit',
    { reason: 'InvalidPermit()' },
    'permitSignature is not valid: the signature is not that of this wallet for its next nonce. Sign again (InvalidPermit())',
  ],
  ['order_not_found', { orderHash: '0xab' }, 'No order has the hash 0xab'],
  ['order_not_found', { orderHash: '0xab', marketId: '0xcd' }, 'No order has the hash 0xab in market 0xcd'],
  [
    'batch_not_filled',
    { index: 0, code: 'would_cross', details: { bestPrice: 5 } },
    'orders[0] of the atomic batch was refused with would_cross (A post-only order would have traded at once: the best price against it is 5), so none was placed',
  ],
  [
    'batch_not_filled',
    { index: 1, code: 'wallet_blocked' },
    'orders[1] of the atomic batch was refused with wallet_blocked, so none was placed',
  ],
  [
    'batch_across_partitions',
    { index: 2 },
    'orders[2] of the atomic batch is for a market in another partition of the journal',
  ],
  [
    'relayer_budget_spent',
    { what: 'calls of this wallet', perHour: 30, retryAfterSeconds: 60 },
    "The relayer's budget for calls of this wallet is spent: it is 30 an hour, wait 60 s",
  ],
  [
    'relayer_budget_spent',
    { what: 'bonds that the operator sponsors', perDay: '5', retryAfterSeconds: 60 },
    "The relayer's budget for bonds that the operator sponsors is spent: it is 5 a day, wait 60 s",
  ],
  ['price_unavailable', { asset: 'BTC' }, 'There is no fresh price for the asset BTC'],
  ['price_unavailable', { marketId: '0xab' }, 'This quick market takes no orders: its asset has no fresh price'],
  ['price_unavailable', { reason: 'there is no price feed' }, 'No fresh price: there is no price feed'],
  ['right_missing', { right: 'trading' }, 'This operator key lacks the right trading'],
  ['category_not_found', { id: 'sports' }, 'No category has the id sports'],
];

describe('refusal', () => {
  it.each(SENTENCES)('%s with %j says what its details know', (code, details, sentence) => {
    expect(new PresageError(code, details).message).toBe(sentence);
  });

  it('names each limit by the number that is in force', () => {
    const limits: readonly (readonly [code: ErrorCode, number: number])[] = [
      ['body_too_large', LIMITS.bodyBytes / 1024],
      ['body_too_large', LIMITS.batchOrders],
      ['batch_too_large', LIMITS.batchOrders],
      ['expiration_too_soon', LIMITS.minExpirationSeconds],
      ['price_out_of_range', LIMITS.maxPrice],
      ['size_too_large', LIMITS.maxOrderSize],
      ['too_many_api_keys', LIMITS.apiKeysPerWallet],
      ['too_many_approvals', LIMITS.pendingApprovalsMax],
      ['too_many_plans', LIMITS.marketTemplatesMax],
      ['too_many_plans', LIMITS.scheduledMarketsMax],
      ['too_many_subscriptions', LIMITS.streamSubscriptions],
      ['frame_too_large', LIMITS.streamFrameBytes / 1024],
      ['token_expired', LIMITS.tokenLifeSeconds / 60],
      ['token_expired', LIMITS.tokenAheadSeconds],
    ];
    const numbersOf = (code: ErrorCode) =>
      `${ERRORS[code].error} ${ERRORS[code].remedy}`.replaceAll(',', '').match(/\d+/g);
    expect(limits.filter(([code, number]) => !numbersOf(code)?.includes(String(number)))).toEqual([]);
  });
});
