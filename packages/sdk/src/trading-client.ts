// The trading client: the public client plus everything a wallet can do, signed locally and relayed without gas.
import type { ApiKey } from './api-key.ts';
import { eventActions } from './event-actions.ts';
import { Http, type HttpOptions } from './http.ts';
import { orderActions } from './orders/order-actions.ts';
import { type PublicActions, publicActions } from './public-client.ts';
import { Session } from './session.ts';
import { type AccountInput, toSigner } from './signer.ts';
import { walletActions } from './wallet/wallet-actions.ts';

export interface TradingClientOptions extends HttpOptions {
  /** A viem account with a key, a viem wallet client, or `{ provider, address }` of a browser wallet. */
  readonly account: AccountInput;
  /** The key that `setup()` returned earlier: keep it, a wallet may have ten keys. */
  readonly apiKey?: ApiKey;
  /** Chain of calls without a market; the service's first by default. Orders go to the chain of their market. */
  readonly chainId?: number;
}

export interface TradingClient
  extends PublicActions,
    ReturnType<typeof orderActions>,
    ReturnType<typeof eventActions>,
    ReturnType<typeof walletActions> {
  readonly url: string;
  /** The wallet that signs. */
  readonly address: `0x${string}`;
}

/** A client that trades: everything of the public client, and actions that a wallet signs. */
export function createTradingClient(options: TradingClientOptions): TradingClient {
  const http = new Http(options);
  const signer = toSigner(options.account);
  const session = new Session({ http, signer, apiKey: options.apiKey, chainId: options.chainId });
  const reads = publicActions(http);
  const actions = { ...reads, ...orderActions(session, reads), ...walletActions(session, reads) };
  return { url: http.url, address: signer.address, ...actions, ...eventActions(actions) };
}
