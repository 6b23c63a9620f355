// Client for the sandbox's own endpoints: test money, new markets, time travel, pinned prices, faults.

import type { ApiKey } from './api-key.ts';
import { type CallOptions, type ChainOptions, Http, type HttpOptions } from './http.ts';
import { type AmountInput, parseAmount, toAddress, toAsset, toBytes32 } from './inputs.ts';
import type { AdvanceTimeResponse, FundResponse, Market, MarketEvent, RunMakerResponse } from './types.ts';

export interface CreateMarketParams {
  readonly question: string;
  readonly description?: string;
  readonly category?: Market['category'];
  /** Seconds from now; a week by default. */
  readonly expiresIn?: number;
  /** Whether a result may be proposed before the expiration; false by default. */
  readonly earlyResolution?: boolean;
  /** The first chain by default. */
  readonly chainId?: number;
}

export interface CreateEventParams extends Omit<CreateMarketParams, 'earlyResolution'> {
  /** Names of the outcomes, of which exactly one will win: "none of them" is an outcome like the others. */
  readonly outcomes: readonly string[];
}

export interface SandboxFaults {
  readonly chain?: 'up' | 'down' | 'slow';
  readonly settlement?: 'normal' | 'revert';
  /** Number of blocks to reorganize, once. */
  readonly reorgDepth?: number;
  readonly oracle?: 'normal' | 'stalled';
  /** The affected chain and its settlement; the first by default. */
  readonly chainId?: number;
}

/** A client for sandbox controls. Outside a sandbox every call is refused with `not_found`. */
export function createSandboxClient(options: HttpOptions) {
  const http = new Http(options);
  const post = <T = object>(path: string, body: object, { signal }: CallOptions = {}): Promise<T> =>
    http.send<T>({ method: 'POST', path: `/sandbox/${path}`, body, signal, repeatable: 'unaccepted' });

  return {
    /** Test stablecoin for a wallet, on the first chain by default. */
    fund: (address: string, amount?: AmountInput, { chainId, ...options }: ChainOptions = {}): Promise<FundResponse> =>
      post(
        'fund',
        {
          address: toAddress('address', address),
          ...(amount !== undefined && { amount: parseAmount('amount', amount).toString() }),
          ...(chainId !== undefined && { chainId }),
        },
        options,
      ),
    /** Lists a market. */
    createMarket: (params: CreateMarketParams, options?: CallOptions): Promise<Market> =>
      post('markets', params, options),
    /** Lists an event and the markets of its outcomes. */
    createEvent: (params: CreateEventParams, options?: CallOptions): Promise<MarketEvent> =>
      post('events', params, options),
    /** Moves the clocks of the service and of its chains together. */
    advanceTime: (advanceSeconds: number, options?: CallOptions): Promise<AdvanceTimeResponse> =>
      post('time', { advanceSeconds }, options),
    /** Pins the price of an asset; null releases it. */
    pinPrice: (asset: string, priceUSD: number | null, options?: CallOptions) =>
      post('price', { asset: toAsset(asset), priceUSD }, options),
    /** Disputes the proposal of a market. */
    dispute: (marketId: string, options?: CallOptions) =>
      post('dispute', { marketId: toBytes32('marketId', marketId) }, options),
    /** Decides a dispute: whether the proposal was true. */
    arbitrate: (marketId: string, truthful: boolean, options?: CallOptions) =>
      post('arbitrate', { marketId: toBytes32('marketId', marketId), truthful }, options),
    /** Starts or stops the market maker that keeps quotes on the books. */
    runMaker: (running: boolean, options?: CallOptions): Promise<RunMakerResponse> =>
      post('maker', { running }, options),
    /** The operator's key of the sandbox, with every right: for `createOperatorClient`. */
    getOperatorKey: async (options?: CallOptions): Promise<ApiKey> => {
      const { keyId, privateKey } = await post<{ keyId: string; privateKey: string }>('operator-key', {}, options);
      return { id: keyId, privateKey };
    },
    /** Injects faults, or clears them. */
    setFaults: (faults: SandboxFaults, options?: CallOptions) => post('faults', faults, options),
  };
}

export type SandboxClient = ReturnType<typeof createSandboxClient>;
