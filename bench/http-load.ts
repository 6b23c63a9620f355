// A load of signed orders for any server on this machine: signed in advance, posted over keep-alive connections.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  type MarketId,
  type Order,
  OrderHasher,
  type SigningDomain,
  stringifyJson,
  toHex,
  toPrice,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { openSignerRecovery, type SignerRecovery } from '@presage/protocol/signer';

/**
 * `resting` never trades. With `crossing` every second order takes the previous one completely, and is from another
 * wallet.
 */
export type OrderMix = 'resting' | 'crossing';

export interface OrdersToSign {
  readonly count: number;
  readonly domain: SigningDomain;
  readonly marketId: MarketId;
  /** Unix seconds; an hour ahead by default. */
  readonly expiration?: number;
  /** Number of wallets; by default new ones for every call, so that a second run reuses no nonce. */
  readonly wallets?: number;
  readonly mix?: OrderMix;
  /** Orders per body; above 1, bodies are for POST /api/v1/orders/batch. */
  readonly batch?: number;
}

export interface Load {
  readonly url: string;
  readonly bodies: readonly string[];
  readonly connections: number;
  /** No request is sent after this time. */
  readonly limitMs: number;
  /** Rate at which requests are sent evenly; by default each follows the previous answer. */
  readonly perSecond?: number;
  /** Another loopback address of this machine, so that the server sees another caller. */
  readonly from?: string;
}

export interface LoadResult {
  readonly sent: number;
  readonly ok: number;
  /** Number of answers by status; 0 stands for a broken connection. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly elapsedMs: number;
  readonly okPerSecond: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  /** Latency of orders answered with 200, measured from the write to the socket rather than from the due time. */
  readonly acceptedMs: { readonly p50: number; readonly p99: number };
}

const MAX_ORDERS = 500_000;
const MAX_CONNECTIONS = 1_000;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

const { ecdsaSign }: { ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number } } =
  createRequire(import.meta.url)('secp256k1');

interface Wallet {
  readonly key: Uint8Array;
  readonly address: Address;
}

/** Bodies of POST /api/v1/orders. */
export async function signOrders(params: OrdersToSign): Promise<string[]> {
  const count = Math.min(params.count, MAX_ORDERS);
  const hasher = await OrderHasher.open(params.domain);
  const wallets = makeWallets(params.wallets ?? 64, await openSignerRecovery());
  const orders = Array.from({ length: count }, (_, index) => {
    const { key, address } = wallets[index % wallets.length]!;
    const order = params.mix === 'crossing' ? makeCrossing(params, address, index) : makeOrder(params, address, index);
    return { order, signature: sign(hasher.digest(order), key) };
  });
  const { batch = 1 } = params;
  if (batch === 1) return orders.map(stringifyJson);
  const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);
  return starts.map((start) => stringifyJson({ orders: orders.slice(start, start + batch) }));
}

/** Signers recovered per second on one thread: the minimum work of any order. */
export async function measureRecovery(count: number): Promise<number> {
  const recovery = await openSignerRecovery();
  const [digest, key] = [Uint8Array.from(randomBytes(32)), Uint8Array.from(randomBytes(32))];
  const signature = signBytes(digest, key);
  const startMs = performance.now();
  for (let index = 0; index < count; index++) recovery.recover(digest, signature);
  return (count / (performance.now() - startMs)) * 1000;
}

/** Answers with 200 per second over all results. */
export function rateOf(results: readonly LoadResult[]): number {
  const ok = results.reduce((total, result) => total + result.ok, 0);
  return (ok / results.reduce((total, result) => total + result.elapsedMs, 0)) * 1000;
}

function makeWallets(count: number, recovery: SignerRecovery): Wallet[] {
  const digest = new Uint8Array(32).fill(1);
  return Array.from({ length: count }, () => {
    const key = Uint8Array.from(randomBytes(32));
    const address = recovery.recover(digest, signBytes(digest, key));
    if (address === undefined) throw new Error('a fresh key recovers to no address');
    return { key, address };
  });
}

function makeOrder({ marketId, expiration }: OrdersToSign, trader: Address, index: number): Order {
  const isBuy = index % 2 === 0;
  return {
    marketId,
    trader,
    side: isBuy ? 0 : 1,
    outcome: index % 4 < 2 ? 0 : 1,
    price: toPrice(isBuy ? 300_000 + (index % 1_000) : 700_000 - (index % 1_000)),
    size: toSize(1_000_000 + index),
    nonce: BigInt(index),
    expiration: BigInt(expiration ?? Math.floor(Date.now() / 1000) + 3_600),
    makerFeeRecipient: ZERO_ADDRESS,
  };
}

/** Pairs at one price and size: the first to arrive rests, the other takes it. */
function makeCrossing(params: OrdersToSign, trader: Address, index: number): Order {
  const pair = Math.floor(index / 2);
  const price = toPrice(450_000 + (pair % 1_000));
  return { ...makeOrder(params, trader, index), outcome: 0, price, size: toSize(1_000_000) };
}

function sign(digest: Uint8Array, key: Uint8Array): string {
  return toHex(signBytes(digest, key));
}

function signBytes(digest: Uint8Array, key: Uint8Array): Uint8Array {
  const { signature, recid } = ecdsaSign(digest, key);
  return Uint8Array.from([...signature, recid + 27]);
}

export async function postOrders({ url, bodies, connections, limitMs, ...pace }: Load): Promise<LoadResult> {
  const target = assertLoopback(url);
  const run = new LoadRun(target, bodies, { deadline: performance.now() + limitMs, ...pace });
  const count = Math.min(connections, MAX_CONNECTIONS, bodies.length);
  await Promise.all(Array.from({ length: count }, () => run.drive()));
  return run.result();
}

function assertLoopback(url: string): URL {
  const target = new URL(url);
  if (LOOPBACK.has(target.hostname)) return target;
  throw new Error(`${target.hostname} is not this machine: the load stays on loopback`);
}

class LoadRun {
  readonly #target: URL;
  readonly #requests: readonly Buffer[];
  readonly #deadline: number;
  readonly #startedAt: number;
  readonly #latencies: number[] = [];
  readonly #accepted: number[] = [];
  readonly #statuses: Record<number, number> = {};
  #next = 0;

  readonly #gapMs: number;

  readonly #from: string | undefined;

  constructor(target: URL, bodies: readonly string[], pace: { deadline: number; perSecond?: number; from?: string }) {
    this.#target = target;
    this.#from = pace.from;
    this.#requests = bodies.map((body) => toRequest(target, body));
    this.#deadline = pace.deadline;
    this.#gapMs = pace.perSecond === undefined ? 0 : 1_000 / pace.perSecond;
    this.#startedAt = performance.now();
  }

  /** Runs one connection, one request at a time, until none is left. */
  async drive(): Promise<void> {
    const { hostname, port } = this.#target;
    const host = hostname.replace(/[[\]]/g, '');
    const socket = connect({ port: Number(port || 80), host, ...(this.#from && { localAddress: this.#from }) });
    socket.setNoDelay(true);
    const replies = new ReplyReader(socket);
    try {
      for (let request = this.#take(); request !== undefined; request = this.#take()) {
        const sentAt = await this.#turn();
        const writtenMs = performance.now();
        socket.write(request);
        const status = await replies.next();
        this.#count(status);
        this.#latencies.push(performance.now() - sentAt);
        if (status === 200) this.#accepted.push(performance.now() - writtenMs);
      }
    } catch {
      this.#count(0);
    } finally {
      socket.destroy();
    }
  }

  result(): LoadResult {
    const elapsedMs = performance.now() - this.#startedAt;
    const ok = this.#statuses[200] ?? 0;
    return {
      sent: this.#next,
      ok,
      statuses: this.#statuses,
      elapsedMs,
      okPerSecond: (ok / elapsedMs) * 1000,
      latencyMs: spreadOf(this.#latencies),
      acceptedMs: spreadOf(this.#accepted),
    };
  }

  /** Time at which the next request is due; one sent late has waited since then. */
  async #turn(): Promise<number> {
    const nowMs = performance.now();
    if (this.#gapMs === 0) return nowMs;
    const dueMs = this.#startedAt + this.#next * this.#gapMs;
    if (dueMs > nowMs) await sleep(dueMs - nowMs);
    return dueMs;
  }

  #take(): Buffer | undefined {
    if (performance.now() > this.#deadline) return undefined;
    return this.#next < this.#requests.length ? this.#requests[this.#next++] : undefined;
  }

  #count(status: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }
}

function spreadOf(times: readonly number[]): { p50: number; p99: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function toRequest({ host, pathname, search }: URL, body: string): Buffer {
  const length = Buffer.byteLength(body);
  const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${length}\r\n\r\n${body}`);
}

/** Reads replies one by one from a socket: node:http's client would cost more than the measured server. */
class ReplyReader {
  #text = '';
  #resolve: (status: number) => void = () => {};
  #reject: (cause: Error) => void = () => {};
  #broken: Error | undefined;

  constructor(socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', (cause) => this.#fail(cause));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  next(): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) return reject(this.#broken);
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  #read(text: string): void {
    this.#text += text;
    const bodyAt = this.#text.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4 || !isWhole(this.#text, bodyAt)) return;
    const status = Number(this.#text.slice(9, 12));
    this.#text = '';
    this.#resolve(status);
  }

  #fail(cause: Error): void {
    this.#broken = cause;
    this.#reject(cause);
  }
}

function isWhole(text: string, bodyAt: number): boolean {
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(text.slice(0, bodyAt))?.[1];
  if (length !== undefined) return text.length >= bodyAt + Number(length);
  return text.endsWith('0\r\n\r\n');
}

/** Signed body of one order for YES; an hour of life is enough for any load. */
export function toOrderBody(
  hasher: OrderHasher,
  key: Uint8Array,
  terms: { marketId: MarketId; trader: Address; side: 0 | 1; price: number; size: number; nonce: number },
): string {
  const order: Order = {
    marketId: terms.marketId,
    trader: terms.trader,
    side: terms.side,
    outcome: 0,
    price: toPrice(terms.price),
    size: toSize(terms.size),
    nonce: BigInt(terms.nonce),
    expiration: BigInt(Math.floor(Date.now() / 1000) + 3_600),
    makerFeeRecipient: ZERO_ADDRESS,
  };
  return stringifyJson({ order, signature: sign(hasher.digest(order), key) });
}
