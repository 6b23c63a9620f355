// State shared by the parts of a trading client: connection, wallet, key, configuration and the service's clock.
import { type ApiKey, TokenMaker } from './api-key.ts';
import { type PresageApiError, PresageInputError } from './errors.ts';
import type { CallOptions, Http, HttpRequest, Query, Repeatable } from './http.ts';
import { toBytes32 } from './inputs.ts';
import type { Signer } from './signer.ts';
import type { ChainConfig, Market, ServiceConfig, ServiceTime } from './types.ts';

export interface SessionOptions {
  readonly http: Http;
  readonly signer: Signer;
  readonly apiKey?: ApiKey | undefined;
  readonly chainId?: number | undefined;
}

export interface Write extends CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly repeatable?: Repeatable;
}

/** The sandbox's clock can jump, so the remembered offset expires soon. */
const CLOCK_TRUST_MS = 10_000;

export class Session {
  readonly http: Http;
  readonly signer: Signer;
  readonly #chainId: number | undefined;
  #tokens: TokenMaker | undefined;
  #config: Promise<ServiceConfig> | undefined;
  #clock: { readonly offsetMs: number; readonly learntMs: number } | undefined;

  constructor({ http, signer, apiKey, chainId }: SessionOptions) {
    this.http = http;
    this.signer = signer;
    this.#chainId = chainId;
    if (apiKey !== undefined) this.useApiKey(apiKey);
  }

  get apiKey(): ApiKey | undefined {
    return this.#tokens?.apiKey;
  }

  useApiKey(apiKey: ApiKey): void {
    this.#tokens = new TokenMaker(apiKey);
  }

  /** Read once: contracts and limits do not change under a running client. */
  config(): Promise<ServiceConfig> {
    this.#config ??= this.http.get<ServiceConfig>('/api/v1/config').catch((error: unknown) => {
      this.#config = undefined;
      throw error;
    });
    return this.#config;
  }

  /** The named chain, else the one this client was created for, else the service's first. */
  async chain(named = this.#chainId): Promise<ChainConfig> {
    const { chains } = await this.config();
    const chain = chains.find(({ chainId }) => chainId === (named ?? chainId)) ?? (await this.#joinedChain(named));
    if (chain !== undefined) return chain;
    const known = chains.map(({ chainId }) => chainId).join(', ');
    throw new PresageInputError('chainId', `a chain of this service (${known})`, named);
  }

  /**
   * The chain of a market, for which everything about the market is signed. Asks the service only if no list has named
   * it.
   */
  async chainOf(marketId: string, { signal }: CallOptions = {}): Promise<ChainConfig> {
    const id = toBytes32('marketId', marketId);
    const { chainIds } = this.http;
    if (!chainIds.has(id)) {
      const market = await this.http.get<Market>(`/api/v1/markets/${id}`, {}, { signal }).catch(ignoreMissing);
      if (market !== undefined) chainIds.set(id, market.chainId);
    }
    return this.chain(chainIds.get(id));
  }

  /** Chains that this client uses: the one it was created for, or all chains of the service. */
  async chains(): Promise<readonly ChainConfig[]> {
    return this.#chainId === undefined ? (await this.config()).chains : [await this.chain()];
  }

  /** Unix seconds of the service's clock. */
  async nowSeconds(options?: CallOptions): Promise<number> {
    const before = Date.now();
    if (this.#clock === undefined || before - this.#clock.learntMs > CLOCK_TRUST_MS) {
      const { nowMs } = await this.http.get<ServiceTime>('/api/v1/time', {}, options);
      this.#clock = { offsetMs: nowMs - Date.now(), learntMs: before };
    }
    return Math.floor((Date.now() + this.#clock.offsetMs) / 1_000);
  }

  /** Drops the remembered clock; call it when the service's clock has moved. */
  forgetClock(): void {
    this.#clock = undefined;
  }

  /** Re-reads the configuration: a chain that was unreachable before may have joined since. */
  async #joinedChain(named: number | undefined): Promise<ChainConfig | undefined> {
    this.#config = undefined;
    return (await this.config()).chains.find(({ chainId }) => chainId === named);
  }

  post<T>(path: string, write: Write): Promise<T> {
    return this.#write('POST', path, write);
  }

  delete<T>(path: string, write: Write): Promise<T> {
    return this.#write('DELETE', path, write);
  }

  async #write<T>(method: HttpRequest['method'], path: string, write: Write): Promise<T> {
    const { authRequired } = await this.config();
    if (authRequired && this.#tokens === undefined) {
      throw new PresageInputError('apiKey', 'set: call setup() first, or pass the apiKey it returned earlier');
    }
    return this.http.send<T>({
      method,
      path,
      repeatable: 'unaccepted',
      ...write,
      ...(this.#tokens && { authorization: (expired: PresageApiError | undefined) => this.#tokens!.make(expired) }),
    });
  }
}

/**
 * A missing market is ignored here because the service refuses its order by itself: the other orders of a batch are
 * good.
 */
function ignoreMissing(error: unknown): undefined {
  if ((error as Partial<PresageApiError> | undefined)?.status !== 404) throw error;
}
