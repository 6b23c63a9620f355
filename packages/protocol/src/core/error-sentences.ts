// Sentences for refusals: the field and the reason behind a code, in a form that a bot may print unchanged.
import { explainRefusal } from './contract-refusals.ts';
import { isObject } from './json.ts';

type Details = Readonly<Record<string, unknown>>;
type Sentence = (details: Details) => string | undefined;

/** A sentence needs all of its details; if one is missing, the catalogue's text is used. */
function say(names: readonly string[], write: (values: Readonly<Record<string, string>>) => string): Sentence {
  return (details) => {
    const values: Record<string, string> = {};
    for (const name of names) {
      const value = details[name];
      if (value === undefined || value === null || value === '') return undefined;
      values[name] = show(value);
    }
    return write(values);
  };
}

const LONGEST = 80;

/** The value as the caller wrote it, shortened so that it does not hide the sentence. */
function show(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'bigint') return cut(String(value));
  return cut(JSON.stringify(value, (_name, each) => (typeof each === 'bigint' ? String(each) : each)) ?? String(value));
}

/** For example `2026-01-31 12:30:00 UTC`. */
function toUtc(unixSeconds: number): string {
  return `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

/** Authentication errors and malformed relayer requests have fixed texts, which clients compare, so they are not here. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  invalid_json: say(['reason'], ({ reason }) => `The body is not valid JSON: ${reason}`),
  invalid_field: (details) => {
    const { field, expected, missing } = details;
    if (typeof field !== 'string' || typeof expected !== 'string') return undefined;
    const name = field === '' ? 'The body' : field;
    if (missing === true) return `${name} is missing: it must be ${expected}`;
    return `${name} must be ${expected}${'got' in details ? `: got ${details.got === '' ? 'an empty text' : show(details.got)}` : ''}`;
  },
  price_out_of_range: say(
    ['minimum', 'maximum', 'got'],
    ({ minimum, maximum, got }) => `price must be between ${minimum} and ${maximum}: got ${got}`,
  ),
  not_found: (details) => {
    const { keyId, contract, chainId, partition } = details;
    if (keyId !== undefined) return `No API key of this service has the id ${show(keyId)}`;
    if (contract !== undefined)
      return `${show(contract)} is no contract of chain ${show(chainId)} that has nonces here`;
    if (chainId !== undefined) return `Chain ${show(chainId)} is not served here`;
    if (partition !== undefined) return `No public partition of the journal is called ${show(partition)}`;
    return say(['path'], ({ path }) => `There is nothing at the path ${path}`)(details);
  },
  malformed_request: say(['reason'], ({ reason }) => `The request is not valid HTTP: ${reason}`),
  method_not_allowed: ({ method, allowed }) =>
    Array.isArray(allowed) ? `This path does not take ${show(method)}: it takes ${allowed.join(', ')}` : undefined,
  unsupported_media_type: ({ contentEncoding, contentType, expected }) => {
    if (contentEncoding !== undefined)
      return `The body must not be compressed: got Content-Encoding ${show(contentEncoding)}`;
    if (expected === undefined) return undefined;
    const got = contentType === undefined ? 'the request has none' : `got ${show(contentType)}`;
    return `The Content-Type must be ${show(expected)}: ${got}`;
  },
  host_not_allowed: say(['host'], ({ host }) => `The service does not answer to the name ${host}`),
  origin_not_allowed: say(['origin'], ({ origin }) => `Pages of ${origin} may not write to this service`),
  overloaded: say(['reason'], ({ reason }) => `The service takes no further requests: ${reason}`),
  size_zero: () => 'size must be above 0: got 0',
  size_too_small: say(
    ['minimum', 'got'],
    ({ minimum, got }) => `size must be at least ${minimum} millionths of a share: got ${got}`,
  ),
  size_too_large: say(['maximum', 'got'], ({ maximum, got }) => `size must be at most ${maximum}: got ${got}`),
  expiration_too_soon: say(
    ['minimum', 'now', 'got'],
    ({ minimum, now, got }) =>
      `expiration must be at least ${minimum}, a minute after the service's clock (${now}): got ${got}`,
  ),
  fee_recipient_not_zero: say(['got'], ({ got }) => `makerFeeRecipient must be the zero address: got ${got}`),
  invalid_signature_length: ({ gotDigits, reason }) => {
    const got = reason ?? (gotDigits !== undefined && `got ${show(gotDigits)} digits`);
    return got ? `signature must be 65 bytes, 130 hex digits: ${show(got)}` : undefined;
  },
  market_not_found: (details) => {
    const named = details.marketId ?? details.market;
    return named === undefined ? undefined : `No market has the id ${show(named)}`;
  },
  event_not_found: say(['eventId'], ({ eventId }) => `No event has the id ${eventId}`),
  market_closed: say(
    ['marketId', 'expiration'],
    ({ marketId, expiration }) =>
      `market ${marketId} is closed for trading: it expired at ${expiration}, or was closed or decided before`,
  ),
  // Our own words, two addresses among them: cut, they would leave out the one that is right.
  invalid_signature: ({ mistake }) =>
    typeof mistake === 'string' ? `The signature does not recover to the trader: ${mistake}` : undefined,
  exchange_halted: say(['reason'], ({ reason }) => `The operator has halted trading: ${reason}`),
  market_paused: say(['reason'], ({ reason }) => `The operator has paused this market: ${reason}`),
  trading_halted: say(
    ['trader', 'chainId'],
    ({ trader, chainId }) => `${trader} has stopped all its orders on chain ${chainId}, and has not resumed`,
  ),
  nonce_already_used: say(
    ['nonce', 'marketId'],
    ({ nonce, marketId }) => `nonce must be unused by this trader in market ${marketId}: got ${nonce}`,
  ),
  insufficient_balance: say(
    ['required', 'available', 'reserved'],
    ({ required, available, reserved }) =>
      `The wallet's balance does not cover this order: it takes ${required} millionths, and ${available} are left beside ${reserved} that other orders reserve`,
  ),
  insufficient_allowance: say(
    ['required', 'available', 'reserved'],
    ({ required, available, reserved }) =>
      `The wallet has not approved enough for this order: it takes ${required} millionths, and ${available} are left beside ${reserved} that other orders reserve`,
  ),
  invalid_permit: say(['reason'], ({ reason = '' }) => `permitSignature is not valid: ${explainRefusal(reason)}`),
  rate_limited: (details) => {
    const { limit, retryAfterSeconds, perSeconds, reason } = details;
    if (perSeconds === 1) return `Too many messages: a connection may send ${show(limit)} a second`;
    if (retryAfterSeconds === undefined) return undefined;
    const why = reason === undefined ? `at most ${show(limit)} at once` : show(reason);
    return `Too many requests (429): ${why}, wait ${show(retryAfterSeconds)} s`;
  },
  not_admitted: say(['reason'], ({ reason }) => `The operator does not admit this order: ${reason}`),
  would_cross: say(
    ['bestPrice'],
    ({ bestPrice }) => `A post-only order would have traded at once: the best price against it is ${bestPrice}`,
  ),
  would_increase: say(
    ['size', 'available'],
    ({ size, available }) =>
      `A reduce-only order may only sell shares that are held and free: it is of ${size} millionths, and ${available} are`,
  ),
  fok_not_filled: say(
    ['fillable'],
    ({ fillable }) =>
      `A fill-or-kill order could not be filled whole: the book fills ${fillable} millionths of a share`,
  ),
  batch_not_filled: (details) => {
    const { index, code, details: own } = details;
    if (typeof index !== 'number' || typeof code !== 'string') return undefined;
    const reason = sentenceOf(code, isObject(own) ? own : undefined);
    const because = reason === undefined ? code : `${code} (${reason})`;
    return `orders[${index}] of the atomic batch was refused with ${because}, so none was placed`;
  },
  batch_across_partitions: say(
    ['index'],
    ({ index }) => `orders[${index}] of the atomic batch is for a market in another partition of the journal`,
  ),
  order_not_found: (details) => {
    const { orderHash, marketId } = details;
    if (orderHash === undefined) return undefined;
    return `No order has the hash ${show(orderHash)}${marketId === undefined ? '' : ` in market ${show(marketId)}`}`;
  },
  order_not_open: say(['status'], ({ status }) => `The order is already final: it is ${status}`),
  deadline_passed: say(
    ['deadline', 'now'],
    ({ deadline, now }) => `deadline must not be before the service's clock (${now}): got ${deadline}`,
  ),
  simulation_failed: say(['reason'], ({ reason = '' }) => `The transaction would fail: ${explainRefusal(reason)}`),
  spender_not_allowed: say(
    ['spender'],
    ({ spender }) => `spender must be the settlement or the conditional-tokens contract: got ${spender}`,
  ),
  call_not_allowed: say(
    ['field', 'expected'],
    ({ field, expected }) => `The relayer does not send this call: ${field} must be ${expected}`,
  ),
  relayer_budget_spent: (details) => {
    const { what, perHour, perDay, retryAfterSeconds } = details;
    if (typeof what !== 'string' || retryAfterSeconds === undefined) return undefined;
    const budget = perHour === undefined ? `${show(perDay)} a day` : `${show(perHour)} an hour`;
    return `The relayer's budget for ${what} is spent: it is ${budget}, wait ${show(retryAfterSeconds)} s`;
  },
  too_many_subscriptions: say(
    ['limit'],
    ({ limit }) => `There are too many subscriptions: this connection or address may have ${limit}`,
  ),
  chain_unavailable: say(['reason'], ({ reason }) => `The chain cannot be reached: ${reason}`),
  chain_sync_unavailable: say(['reason'], ({ reason }) => `Chain sync is unavailable: ${reason}`),
  asset_not_supported: say(['asset'], ({ asset }) => `The asset ${asset} is not configured`),
  asset_not_found: say(['asset'], ({ asset }) => `There are no quick markets of the asset ${asset}`),
  price_unavailable: (details) => {
    const { asset, marketId, reason } = details;
    if (asset !== undefined) return `There is no fresh price for the asset ${show(asset)}`;
    if (marketId !== undefined) return 'This quick market takes no orders: its asset has no fresh price';
    return reason === undefined ? undefined : `No fresh price: ${show(reason)}`;
  },

  // Operators
  token_for_other_request: say(
    ['field'],
    ({ field }) => `This token was not signed for this request: its ${field} is of another one`,
  ),
  right_missing: say(['right'], ({ right }) => `This operator key lacks the right ${right}`),
  operator_key_not_found: say(['keyId'], ({ keyId }) => `No operator key has the id ${keyId}`),
  not_voidable: ({ voidableFrom }) =>
    Number.isInteger(voidableFrom)
      ? `The contract does not let this market be voided now: it does from ${toUtc(Number(voidableFrom))} on`
      : undefined,
  template_not_found: say(['templateId'], ({ templateId }) => `No template has the id ${templateId}`),
  schedule_not_found: say(['scheduleId'], ({ scheduleId }) => `No market is scheduled under the id ${scheduleId}`),
  category_not_found: say(['id'], ({ id }) => `No category has the id ${id}`),
};

/** Returns undefined if the catalogue's text is enough. */
export function sentenceOf(code: string, details: Details | undefined): string | undefined {
  return SENTENCES[code]?.(details ?? {});
}
