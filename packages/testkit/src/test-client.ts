// A small HTTP client for tests: exact numbers both ways, and really signed orders.
import {
  type Address,
  type Hex,
  type MarketId,
  ORDER_TYPES,
  type OrderTerms,
  parseJson,
  pickTerms,
  type SigningDomain,
  sha256OfLines,
  stringifyJson,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { toMillionths } from './order-builders.ts';
import { askWhileBusy, isJson, readJson } from './read-json.ts';

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface WireOrder {
  readonly marketId: MarketId;
  readonly trader: Address;
  readonly side: 0 | 1;
  readonly outcome: 0 | 1;
  readonly price: number;
  readonly size: number;
  readonly nonce: bigint;
  readonly expiration: number;
  readonly makerFeeRecipient: Address;
}

export interface WireSubmission extends Partial<OrderTerms> {
  readonly order: WireOrder;
  readonly signature: string;
}

export interface OrderAnswerBody {
  readonly orderHash: Hex;
  readonly status: string;
  readonly matches: number;
  readonly timestamp: number;
  readonly filledSize: number;
  readonly remainingSize: number;
  readonly orderStatus: string;
  readonly trades: readonly {
    readonly id: number;
    readonly tradeId: string;
    readonly price: number;
    readonly size: number;
  }[];
}

export interface WireOrderParams extends Partial<OrderTerms> {
  readonly market: MarketId;
  readonly side: 'buy' | 'sell';
  /** YES by default. */
  readonly outcome?: 'YES' | 'NO';
  /** In shares and stablecoin: '0.55', '10'. */
  readonly price: string;
  readonly size: string;
  /** By default counts upward over the client, past 2^53. */
  readonly nonce?: bigint;
  /** Unix seconds; by default thirty days from the client's opening. */
  readonly expiration?: number;
}

export interface RequestExtras {
  readonly headers?: Readonly<Record<string, string>>;
  /** Body that is sent unchanged. */
  readonly text?: string;
}

/** A wallet with a real key derived from its name; unused on a new chain. */
export function walletOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(sha256OfLines(['presage test wallet', name]));
}

const THIRTY_DAYS = 30 * 86_400;

export class TestClient {
  readonly url: string;
  readonly domain: SigningDomain;
  readonly #expiration: number;
  #nonce = 1n << 60n;

  private constructor(url: string, domain: SigningDomain, nowSeconds: number) {
    this.url = url;
    this.domain = domain;
    this.#expiration = nowSeconds + THIRTY_DAYS;
  }

  /** Reads from the service what to sign; for its first chain unless another is given. */
  static async open(url: string, wanted?: number): Promise<TestClient> {
    const { chains } = await readJson<{ chains: ConfigChain[] }>(`${url}/api/v1/config`);
    const { chainId, settlement } = chains.find((chain) => chain.chainId === (wanted ?? chain.chainId))!;
    const { name, version, address } = settlement;
    const { now } = await readJson<{ now: number }>(`${url}/api/v1/time`);
    return new TestClient(url, { name, version, chainId, verifyingContract: address }, now);
  }

  /** The same signer for a service at another address, after a restart. */
  at(url: string): TestClient {
    const moved = new TestClient(url, this.domain, this.#expiration - THIRTY_DAYS);
    moved.#nonce = this.#nonce + (1n << 32n);
    return moved;
  }

  get<T>(path: string, extras?: RequestExtras): Promise<Answer<T>> {
    return this.send('GET', path, extras);
  }

  delete<T>(path: string): Promise<Answer<T>> {
    return this.send('DELETE', path);
  }

  post<T>(path: string, body: unknown): Promise<Answer<T>> {
    return this.send('POST', path, { text: stringifyJson(body), headers: { 'content-type': 'application/json' } });
  }

  send<T>(method: string, path: string, extras?: RequestExtras): Promise<Answer<T>> {
    return ask(method, this.url + path, extras);
  }

  /** Body of a GET that must succeed. */
  async read<T>(path: string): Promise<T> {
    const answer = await this.get<T>(path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${stringifyJson(answer.body)}`);
    return answer.body;
  }

  async signOrder(wallet: PrivateKeyAccount, params: WireOrderParams): Promise<WireSubmission> {
    const order = this.#toOrder(wallet, params);
    const message = {
      ...order,
      price: BigInt(order.price),
      size: BigInt(order.size),
      expiration: BigInt(order.expiration),
    };
    const signature = await wallet.signTypedData({
      domain: this.domain,
      types: ORDER_TYPES,
      primaryType: 'Order',
      message,
    });
    return { order, signature, ...pickTerms(params) };
  }

  async placeOrder(wallet: PrivateKeyAccount, params: WireOrderParams): Promise<Answer<OrderAnswerBody>> {
    return this.post('/api/v1/orders', await this.signOrder(wallet, params));
  }

  /** Places an order that must be accepted. */
  async order(wallet: PrivateKeyAccount, params: WireOrderParams): Promise<OrderAnswerBody> {
    const { status, body } = await this.placeOrder(wallet, params);
    if (status !== 200) throw new Error(`the order was refused: ${status} ${stringifyJson(body)}`);
    return body;
  }

  #toOrder(wallet: PrivateKeyAccount, params: WireOrderParams): WireOrder {
    this.#nonce += 1n;
    return {
      marketId: params.market,
      trader: wallet.address,
      side: params.side === 'buy' ? 0 : 1,
      outcome: params.outcome === 'NO' ? 1 : 0,
      price: toMillionths(params.price),
      size: toMillionths(params.size),
      nonce: params.nonce ?? this.#nonce,
      expiration: params.expiration ?? this.#expiration,
      makerFeeRecipient: ZERO_ADDRESS,
    };
  }
}

interface ConfigChain {
  readonly chainId: number;
  readonly settlement: { readonly name: string; readonly version: string; readonly address: Address };
}

async function ask<T>(method: string, url: string, extras: RequestExtras = {}): Promise<Answer<T>> {
  const { text, headers } = extras;
  const answer = await askWhileBusy(url, {
    method,
    ...(headers && { headers }),
    ...(text !== undefined && { body: text }),
  });
  // The caller knows the answer's type.
  const body = (isJson(answer.headers) ? parseJson(answer.text) : answer.text) as T;
  return { status: answer.status, headers: answer.headers, body };
}
