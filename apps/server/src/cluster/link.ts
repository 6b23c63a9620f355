// Connection to another node: carries many requests at a time and reconnects by itself.
import { connect } from 'node:net';
import { Backoff, messageOf } from '@presage/runtime';
import { FramedSocket } from './framed-socket.ts';
import {
  describeOtherKey,
  drawNonce,
  isProof,
  LINK_VERSION,
  proofOf,
  readHandshake,
  type SharedSettings,
} from './handshake.ts';
import { decodeMessage, encodeRequest, fromRefusal, LinkLost, MAX_MESSAGE_BYTES } from './link-messages.ts';

export interface LinkOptions extends SharedSettings {
  /** The name of this node. */
  readonly node: string;
  /** `host:port` of the other node. */
  readonly address: string;
  readonly onNews?: (topic: string, body: unknown) => void;
  /** Called after each connect: subscriptions must be renewed. */
  readonly onConnected?: () => void;
  /** Called when the other side is not a node of this cluster and version, or sent something unreadable; once until it is connected again. */
  readonly onWarning?: (message: string) => void;
}

interface Waiting {
  readonly method: string;
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: Error) => void;
}

const HANDSHAKE_BYTES = 4_096;
const RETRY = { firstMs: 20, longestMs: 1_000 };
/**
 * Timeout for connecting and both proofs. Without it the kernel repeats a lost SYN after 1, 3, 7, 15 and 31 s, and the link would come back
 * that late after a network failure.
 */
const HANDSHAKE_MS = 3_000;
const PING_MS = 1_000;
/** Limit of unanswered pings; at the next one the peer is cut off. A paused node or a vanished machine closes no connection. */
const MOST_UNANSWERED = 2;
/** Closes in a row before a warning: a peer that shuts down may close at this moment too, but not as often. */
const CLOSES_TO_WARN = 3;

export class Link {
  readonly #options: LinkOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #backoff = new Backoff(RETRY);
  #framed: FramedSocket | undefined;
  #isProved = false;
  #hasOtherKey = false;
  #waiters: (() => void)[] = [];
  #nextId = 1;
  /** Pings since the peer was last heard. A count, not a time: this process may itself have been paused. */
  #unanswered = 0;
  /** How many times in a row the peer closed the connection after this node's proof. */
  #closes = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #pinging: NodeJS.Timeout;
  #isClosed = false;
  /** Last warning, to log it once: a node of another version fails at every retry. */
  #said: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#pinging = setInterval(() => this.#ping(), PING_MS);
    this.#pinging.unref();
    this.#connect();
  }

  get isConnected(): boolean {
    return this.#isProved;
  }

  /** Whether the other node knows the secret but signs receipts with another key. */
  get hasOtherKey(): boolean {
    return this.#hasOtherKey;
  }

  /** Rejects with `LinkLost` when the connection ends before the answer, at once if there is none. */
  request(method: string, body: unknown): Promise<unknown> {
    if (!this.#isProved) return Promise.reject(new LinkLost(this.#options.address));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // A body that cannot be encoded rejects here, before the request is registered.
      this.#framed?.send(encodeRequest(id, method, body));
      this.#waiting.set(id, { method, resolve, reject });
    });
  }

  /** Resolves when the link is connected or closed, or after the timeout. */
  async connected(withinMs: number): Promise<void> {
    if (this.#isProved || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#pinging);
    this.#framed?.destroy();
    this.#onLost();
    this.#wakeWaiters();
  }

  #connect(): void {
    const { address } = this.#options;
    const at = address.lastIndexOf(':');
    const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) });
    const nonce = drawNonce();
    let challenge: string | undefined;
    let isBroken = false;
    const framed = new FramedSocket({
      socket,
      maxBytes: HANDSHAKE_BYTES,
      onMessage: (bytes) => {
        this.#unanswered = 0;
        if (this.#isProved) this.#take(bytes);
        else if (challenge === undefined) challenge = this.#prove(bytes, framed, nonce);
        else this.#acceptProof(bytes, framed, { challenge, nonce });
      },
      onBroken: (error) => {
        isBroken = true;
        this.#warn(error);
      },
      onClosed: () => {
        clearTimeout(late);
        if (challenge !== undefined && !this.#isProved && !isBroken) this.#onRefused();
        this.#onClosed(framed);
      },
    });
    const late = setTimeout(() => {
      if (!this.#isProved) framed.destroy();
    }, HANDSHAKE_MS).unref();
    this.#framed = framed;
  }

  #prove(bytes: Buffer, framed: FramedSocket, nonce: string): string {
    const { secret, receiptKey, node } = this.#options;
    const { version, nonce: drawn } = readHandshake(bytes);
    if (version !== LINK_VERSION)
      throw new Error(
        `it speaks version ${version} of the link, this node speaks ${LINK_VERSION}. Stop all nodes, and start all with the same version.`,
      );
    const challenge = String(drawn);
    const mac = proofOf('caller', { secret, receiptKey, challenge, nonce, node });
    framed.send(Buffer.from(JSON.stringify({ node, nonce, receiptKey, mac })));
    return challenge;
  }

  /** Throws unless the other side knows the secret too, since any program may have taken the port, and if its receipts have another key. */
  #acceptProof(bytes: Buffer, framed: FramedSocket, drawn: { challenge: string; nonce: string }): void {
    const { secret, node, onConnected } = this.#options;
    const { mac, receiptKey: stated } = readHandshake(bytes);
    const receiptKey = String(stated);
    if (!isProof('listener', { secret, receiptKey, node, ...drawn }, mac))
      throw new Error('it does not know the secret');
    this.#hasOtherKey = receiptKey !== this.#options.receiptKey;
    if (this.#hasOtherKey) throw new Error(describeOtherKey(this.#options.receiptKey, receiptKey));
    framed.allow(MAX_MESSAGE_BYTES);
    this.#isProved = true;
    this.#closes = 0;
    this.#backoff.reset();
    this.#wakeWaiters();
    onConnected?.();
  }

  #take(bytes: Buffer): void {
    const message = decodeMessage(bytes, (id) => this.#waiting.get(id)?.method);
    if (message?.kind === 'news') this.#options.onNews?.(message.topic, message.body);
    if (message?.kind !== 'answer' && message?.kind !== 'refusal') return;
    this.#said = undefined;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.body);
    else waiting?.reject(fromRefusal(message.refusal));
  }

  #warn(error: unknown): void {
    const message = `the link to the node at ${this.#options.address} was closed: ${messageOf(error)}`;
    if (message !== this.#said) this.#options.onWarning?.(message);
    this.#said = message;
  }

  #ping(): void {
    if (!this.#isProved) return;
    if (this.#unanswered < MOST_UNANSWERED) {
      this.#unanswered++;
      this.request('ping', undefined).catch(() => undefined);
    } else this.#cutOff();
  }

  /** Closes the connection unless a message that has already arrived is read first. */
  #cutOff(): void {
    const framed = this.#framed;
    setImmediate(() => {
      if (this.#unanswered >= MOST_UNANSWERED) framed?.destroy();
    });
  }

  /** A listener gives no reason to a node that it does not know, so this node logs the likely one. */
  #onRefused(): void {
    if (++this.#closes === CLOSES_TO_WARN)
      this.#warn(
        'it closes the connection after the proof of this node. Set PRESAGE_CLUSTER_SECRET to the same value on all nodes.',
      );
  }

  #onClosed(framed: FramedSocket): void {
    if (framed !== this.#framed) return;
    this.#onLost();
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#connect(), this.#backoff.nextMs());
  }

  #onLost(): void {
    this.#isProved = false;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(new LinkLost(this.#options.address));
  }

  #wakeWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
