// Tokens of operators: each is good for one request, so that whoever gets hold of it can do nothing else with it, and nothing at another exchange.
import { toHex } from '@presage/protocol/browser';
import { type ApiKey, TokenMaker } from './api-key.ts';
import type { Authorization, Http } from './http.ts';
import type { ServiceConfig } from './types.ts';

/** `service` is the name of the exchange, which is asked for it when absent. */
export function authorizeOperator(http: Http, key: ApiKey, service?: string): Authorization {
  const tokens = new TokenMaker(key);
  let name = service;
  return async (expired, { method, path, body = '' }) => {
    name ??= (await http.get<ServiceConfig>('/api/v1/config')).service;
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
    return tokens.make(expired, { service: name, method, path, bodyHash: toHex(hash).slice(2) });
  };
}
