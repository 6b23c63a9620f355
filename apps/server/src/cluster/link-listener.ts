// Where other nodes call: each proves that it knows the secret, then asks as much as it likes over its one connection.
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
  /** Sends what `encodeNews` wrote, and copies it. */
  tell(news: Uint8Array): void;
  /** Bytes that it was told and has not read. */
  readonly backlogBytes: () => number;
  /** Called once. */
  onClosed(listener: () => void): void;
}

/** Each takes the body of its own method. */
export type LinkHandler = (body: never, peer: LinkPeer) => Promise<unknown> | unknown;

const PROOF_BYTES = 4_096;
const PROOF_MS = 3_000;
/** A caller pings every second. One that is silent for so long is gone without having closed its connection. */
const SILENT_MS = 5_000;
/**
 * Beyond this a stranger is cut off: the one who has waited longest at the address with most of them, and one at the address of
 * a node that has proved itself before only if there is no other. A node proves itself at once, so neither silence nor a flood of connections keeps it out.
 */
const MAX_UNPROVED = 32;
/** Addresses of nodes that are remembered; a cluster has fewer. */
const NODES_REMEMBERED = 256;

export interface LinkListenerOptions extends SharedSettings {
  readonly handlers: ReadonlyMap<string, LinkHandler>;
  /** A node that had proved itself sent what cannot be read, or signs receipts with another key; the latter is told once until it is mended. */
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
  /** Addresses from which a node has proved itself. */
  readonly #nodeAddresses = new Set<string>();
  /** Names of nodes that were refused because their receipts have another key. */
  readonly #withOtherKey = new Set<string>();

  constructor({ secret, receiptKey, handlers, onWarning }: LinkListenerOptions) {
    this.#settings = { secret, receiptKey };
    this.#handlers = handlers;
    this.#onWarning = onWarning;
    this.#server = createServer((socket) => this.#meet(socket));
  }

  /** Whether the node of that name was refused when it last called, because its receipts have another key. */
  hasOtherKey(node: string): boolean {
    return this.#withOtherKey.has(node);
  }

  /** Resolves with the port. */
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
    // A node that stood still itself reads first what has arrived meanwhile.
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
        // Strangers send anything; a node that has proved itself does not.
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

  /** Throws where the proof is wrong, which ends the connection. A caller with another key is told ours and not admitted; it hangs up itself. */
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

  /** The caller tries again every second, so it is told of once. */
  #refuse(node: string, theirKey: string): undefined {
    const isKnown = this.#withOtherKey.has(node);
    this.#withOtherKey.add(node);
    if (!isKnown)
      this.#onWarning(`the node ${node} was refused: ${describeOtherKey(this.#settings.receiptKey, theirKey)}`);
  }

  #answer(bytes: Buffer, framed: FramedSocket, peer: LinkPeer): void {
    // Nodes that call ask; they answer nothing.
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
