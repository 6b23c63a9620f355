// What the parts of a trading client share: connection, wallet, key, configuration and the service's clock.
import { type ApiKey, TokenMaker } from './api-key.ts';
import { PresageInputError } from './errors.ts';
import type { CallOptions, Http, HttpRequest, Query, Repeatable } from './http.ts';
import type { Signer } from './signer.ts';
import type { ChainConfig, ServiceConfig, ServiceTime } from './types.ts';

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

  /** The chain this client works on: the configured one, or the first. */
  async chain(): Promise<ChainConfig> {
    const { chains } = await this.config();
    const chain = chains.find(({ chainId }) => chainId === (this.#chainId ?? chainId));
    if (chain !== undefined) return chain;
    const known = chains.map(({ chainId }) => chainId).join(', ');
    throw new PresageInputError('chainId', `a chain of this service (${known})`, this.#chainId);
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

  /** Call it when the service's clock turns out to have moved. */
  forgetClock(): void {
    this.#clock = undefined;
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
      throw new PresageInputError('apiKey', 'there: call setup() first, or pass the apiKey it returned earlier');
    }
    return this.http.send<T>({
      method,
      path,
      repeatable: 'unaccepted',
      ...write,
      ...(this.#tokens && { authorization: () => this.#tokens!.make() }),
    });
  }
}
