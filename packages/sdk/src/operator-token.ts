// Tokens of operators: each is valid for one request at one exchange, so that a stolen one is of no other use.
import { toHex } from '@presage/protocol/browser';
import { type ApiKey, TokenMaker } from './api-key.ts';
import type { Authorization, Http } from './http.ts';
import type { ServiceConfig } from './types.ts';

/** `service` is the name of the exchange; if absent, the service is asked for it. */
export function authorizeOperator(http: Http, key: ApiKey, service?: string): Authorization {
  const tokens = new TokenMaker(key);
  let name = service;
  return async (expired, { method, path, body = '' }) => {
    name ??= (await http.get<ServiceConfig>('/api/v1/config')).service;
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
    return tokens.make(expired, { service: name, method, path, bodyHash: toHex(hash).slice(2) });
  };
}
