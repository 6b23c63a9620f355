// What a refusal says beyond its code: the field and the reason, in one sentence that a bot may print as it stands.
type Details = Readonly<Record<string, unknown>>;
type Sentence = (details: Details) => string | undefined;

/** A sentence needs all of its details; without them the catalogue's text stands. */
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
    return `${name} must be ${expected}${'got' in details ? `: got ${show(details.got)}` : ''}`;
  },
  price_out_of_range: say(
    ['minimum', 'maximum', 'got'],
    ({ minimum, maximum, got }) => `price must be between ${minimum} and ${maximum}: got ${got}`,
  ),
  size_zero: () => 'size must be above 0: got 0',
  size_too_small: say(['minimum', 'got'], ({ minimum, got }) => `size must be at least ${minimum}: got ${got}`),
  size_too_large: say(['maximum', 'got'], ({ maximum, got }) => `size must be at most ${maximum}: got ${got}`),
  expiration_too_soon: say(
    ['minimum', 'now', 'got'],
    ({ minimum, now, got }) =>
      `expiration must be at least ${minimum}, a minute after the service's clock (${now}): got ${got}`,
  ),
  fee_recipient_not_zero: say(['got'], ({ got }) => `makerFeeRecipient must be the zero address: got ${got}`),
  invalid_signature_length: say(
    ['gotDigits'],
    ({ gotDigits }) => `signature must be 65 bytes, 130 hex digits: got ${gotDigits} digits`,
  ),
  market_not_found: (details) => {
    const named = details.marketId ?? details.market;
    return named === undefined ? undefined : `No market has the id ${show(named)}`;
  },
  event_not_found: say(['eventId'], ({ eventId }) => `No event has the id ${eventId}`),
  market_closed: say(
    ['marketId', 'expiration'],
    ({ marketId, expiration }) =>
      `market ${marketId} is closed for trading: it expired at ${expiration} or was decided`,
  ),
  invalid_signature: say(['mistake'], ({ mistake }) => `The signature does not recover to the trader: ${mistake}`),
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
      `The wallet's balance does not cover this order: it takes ${required}, and ${available} are left beside ${reserved} reserved`,
  ),
  insufficient_allowance: say(
    ['required', 'available', 'reserved'],
    ({ required, available, reserved }) =>
      `The wallet has not approved enough for this order: it takes ${required}, and ${available} are left beside ${reserved} reserved`,
  ),
  invalid_permit: say(['reason'], ({ reason }) => `permitSignature does not hold: ${reason}`),
  rate_limited: say(
    ['retryAfterSeconds', 'limit'],
    ({ retryAfterSeconds, limit }) => `Too many requests (429): the limit is ${limit}, wait ${retryAfterSeconds} s`,
  ),
  not_admitted: say(['reason'], ({ reason }) => `The operator does not admit this order: ${reason}`),
  would_cross: say(
    ['bestPrice'],
    ({ bestPrice }) => `A post-only order would have traded at once: the best price against it is ${bestPrice}`,
  ),
  would_increase: say(
    ['size', 'available'],
    ({ size, available }) =>
      `A reduce-only order of ${size} would mint a short: ${available} shares are free to be sold`,
  ),
  fok_not_filled: say(
    ['fillable'],
    ({ fillable }) => `A fill-or-kill order could not be filled whole: the book offers ${fillable}`,
  ),
  batch_not_filled: say(
    ['index', 'code'],
    ({ index, code }) => `Order ${index} of the atomic batch was refused with ${code}, so none was placed`,
  ),
  order_not_found: say(['orderHash'], ({ orderHash }) => `No order has the hash ${orderHash} in this market`),
  order_not_open: say(['status'], ({ status }) => `The order is already final: it is ${status}`),
  deadline_passed: say(
    ['deadline', 'now'],
    ({ deadline, now }) => `deadline must not be before the service's clock (${now}): got ${deadline}`,
  ),
  simulation_failed: say(['reason'], ({ reason }) => `The transaction would fail: ${reason}`),
  spender_not_allowed: say(
    ['spender'],
    ({ spender }) => `spender must be the settlement or the conditional-tokens contract: got ${spender}`,
  ),
  call_not_allowed: say(
    ['field', 'expected'],
    ({ field, expected }) => `The relayer does not send this call: ${field} must be ${expected}`,
  ),
  chain_unavailable: say(['reason'], ({ reason }) => `The chain cannot be reached: ${reason}`),
  chain_sync_unavailable: say(['reason'], ({ reason }) => `Chain sync is unavailable: ${reason}`),
  asset_not_supported: say(['asset'], ({ asset }) => `The asset ${asset} is not configured`),
  asset_not_found: say(['asset'], ({ asset }) => `There are no quick markets of the asset ${asset}`),
  price_unavailable: say(['asset'], ({ asset }) => `There is no fresh price for the asset ${asset}`),
};

/** Undefined if the text of the catalogue says everything. */
export function sentenceOf(code: string, details: Details | undefined): string | undefined {
  return SENTENCES[code]?.(details ?? {});
}
