// Accepts connections of other nodes: each proves that it knows the secret, then sends requests over its one connection.
import { createServer, type Server, type Socket } from 'node:net';
import { FairPlaces, messageOf, type Placed } from '@presage/runtime';
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
import { decodeMessage, encodeAnswer, encodeRefusal, MAX_MESSAGE_BYTES, toRefusal } from './link-messages.ts';

/** A node that has proved itself, on its one connection. */
export interface LinkPeer {
  /** The name of the calling node. */
  readonly node: string;
  /** Sends a message of `encodeNews`; copies it. */
  tell(news: Uint8Array): void;
  /** Bytes that were sent and not read by the peer. */
  readonly backlogBytes: () => number;
  /** Called once. */
  onClosed(listener: () => void): void;
}

/** Handler of one method; takes the body of that method. */
export type LinkHandler = (body: never, peer: LinkPeer) => Promise<unknown> | unknown;

const PROOF_BYTES = 4_096;
const PROOF_MS = 3_000;
/** A caller pings every second; one that is silent for this long is gone without having closed its connection. */
const SILENT_MS = 5_000;
/**
 * Limit of connections without a proof. Beyond that the oldest one is dropped, at the address with most of them; one at an address where a
 * node has proved itself before only if there is no other. A node proves itself at once, so neither silence nor a flood of connections
 * keeps it out.
 */
const MAX_UNPROVED = 32;
/** Limit of remembered addresses of nodes; a cluster has fewer. */
const NODES_REMEMBERED = 256;

export interface LinkListenerOptions extends SharedSettings {
  readonly handlers: ReadonlyMap<string, LinkHandler>;
  /** Called when a proved node sent something unreadable, or signs receipts with another key; the latter once until it is fixed. */
  readonly onWarning: (message: string) => void;
}

interface Stranger extends Placed {
  readonly framed: FramedSocket;
}

export class LinkListener {
  readonly #settings: SharedSettings;
  readonly #handlers: ReadonlyMap<string, LinkHandler>;
  readonly #onWarning: (message: string) => void;
  readonly #server: Server;
  readonly #sockets = new Set<FramedSocket>();
  readonly #unproved = new FairPlaces<Stranger>();
  /** Addresses at which a node has proved itself before. */
  readonly #nodeAddresses = new Set<string>();
  /** Names of nodes that were refused because their receipts have another key. */
  readonly #withOtherKey = new Set<string>();

  constructor({ secret, receiptKey, handlers, onWarning }: LinkListenerOptions) {
    this.#settings = { secret, receiptKey };
    this.#handlers = handlers;
    this.#onWarning = onWarning;
    this.#server = createServer((socket) => this.#meet(socket));
  }

  /** Whether the last call of that node was refused because its receipts have another key. */
  hasOtherKey(node: string): boolean {
    return this.#withOtherKey.has(node);
  }

  /** Resolves with the bound port. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve());
    });
    const bound = this.#server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the listener of the cluster has no port');
    return bound.port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #meet(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    if (this.#unproved.size >= MAX_UNPROVED) this.#makeRoom(address);
    const challenge = drawNonce();
    const listeners: (() => void)[] = [];
    let peer: LinkPeer | undefined;
    let silent: NodeJS.Timeout | undefined;
    let heard = 0;
    // If this process was paused itself, messages may be waiting: read them before cutting the peer off.
    const cutOff = () => {
      const before = heard;
      setImmediate(() => heard === before && framed.destroy());
    };
    const leaveStrangers = () => {
      clearTimeout(late);
      this.#unproved.delete(stranger);
    };
    const framed = new FramedSocket({
      socket,
      maxBytes: PROOF_BYTES,
      onMessage: (bytes) => {
        heard++;
        silent?.refresh();
        if (peer !== undefined) return this.#answer(bytes, framed, peer);
        peer = this.#admit(bytes, { challenge, framed, listeners });
        if (peer === undefined) return;
        leaveStrangers();
        this.#rememberNode(address);
        silent = setTimeout(cutOff, SILENT_MS).unref();
      },
      onBroken: (error) => {
        // Warns only about proved nodes: strangers send anything.
        if (peer !== undefined) this.#onWarning(`the link of ${peer.node} was closed: ${messageOf(error)}`);
      },
      onClosed: () => {
        this.#sockets.delete(framed);
        clearTimeout(silent);
        if (peer === undefined) leaveStrangers();
        for (const listener of listeners) listener();
      },
    });
    const stranger = { address, framed };
    const late = setTimeout(() => framed.destroy(), PROOF_MS);
    this.#sockets.add(framed);
    this.#unproved.add(stranger);
    framed.send(Buffer.from(JSON.stringify({ version: LINK_VERSION, nonce: challenge })));
  }

  #makeRoom(newcomer: string): void {
    const isStranger = ({ address }: Placed) => !this.#nodeAddresses.has(address);
    const all = this.#unproved.all();
    const leaving = this.#unproved.crowdBefore(newcomer).find(isStranger) ?? all.find(isStranger) ?? all[0];
    if (leaving === undefined) return;
    this.#unproved.delete(leaving);
    leaving.framed.destroy();
  }

  #rememberNode(address: string): void {
    if (this.#nodeAddresses.size < NODES_REMEMBERED) this.#nodeAddresses.add(address);
  }

  /** Throws if the proof is wrong, which closes the connection. A caller with another receipt key is sent ours and not admitted; it hangs up itself. */
  #admit(bytes: Buffer, { challenge, framed, listeners }: Admission): LinkPeer | undefined {
    const { secret, receiptKey } = this.#settings;
    const { node: name, nonce, receiptKey: stated, mac } = readHandshake(bytes);
    const [node, theirKey] = [String(name), String(stated)];
    const terms = { secret, challenge, nonce: String(nonce), node };
    if (!isProof('caller', { ...terms, receiptKey: theirKey }, mac))
      throw new Error('a node that does not know the secret');
    framed.send(Buffer.from(JSON.stringify({ receiptKey, mac: proofOf('listener', { ...terms, receiptKey }) })));
    if (theirKey !== receiptKey) return this.#refuse(node, theirKey);
    this.#withOtherKey.delete(node);
    framed.allow(MAX_MESSAGE_BYTES);
    return {
      node,
      tell: (news) => framed.send(news),
      backlogBytes: () => framed.backlogBytes,
      onClosed: (listener) => listeners.push(listener),
    };
  }

  /** Warns once, since the caller retries every second. */
  #refuse(node: string, theirKey: string): undefined {
    const isKnown = this.#withOtherKey.has(node);
    this.#withOtherKey.add(node);
    if (!isKnown)
      this.#onWarning(`the node ${node} was refused: ${describeOtherKey(this.#settings.receiptKey, theirKey)}`);
  }

  #answer(bytes: Buffer, framed: FramedSocket, peer: LinkPeer): void {
    // Calling nodes send only requests, so there is no method of an answer to look up.
    const message = decodeMessage(bytes, () => undefined);
    if (message?.kind !== 'request') return;
    const { id, method, body } = message;
    const refuse = (error: unknown) => framed.send(encodeRefusal(id, toRefusal(error)));
    this.#handle(method, body, peer)
      .then((answer) => framed.send(encodeAnswer(id, method, answer)))
      .catch(refuse);
  }

  async #handle(method: string, body: unknown, peer: LinkPeer): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) throw new Error(`Nodes of this version do not know ${method}.`);
    // Only a node that knows the secret and speaks this version gets here, and it sends each method its own body.
    return handler(body as never, peer);
  }
}

interface Admission {
  readonly challenge: string;
  readonly framed: FramedSocket;
  readonly listeners: (() => void)[];
}
