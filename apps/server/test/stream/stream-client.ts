// A client of the stream for tests: keeps the messages it receives, and waits for those it expects.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@presage/protocol';
import { WebSocket } from 'ws';

export interface StreamReply {
  readonly type: string;
  readonly marketId?: string;
  readonly channel?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly seq?: number;
  readonly prevSeq?: number;
  readonly channelSeq?: number;
  readonly ts: number;
  readonly position?: string;
  readonly streamId: string;
  readonly id?: unknown;
  readonly conflated?: boolean;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

const TIMEOUT_MS = 20_000;

export class StreamClient {
  readonly received: StreamReply[] = [];
  /** Called with every message, as it comes. */
  onMessage: ((message: StreamReply) => void) | undefined;
  readonly #closing: Promise<Closed>;
  readonly #socket: WebSocket;
  #taken = 0;
  #wake = (): void => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#closing = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      const message = parseJson(data.toString()) as StreamReply;
      if (this.onMessage === undefined) this.received.push(message);
      else this.onMessage(message);
      this.#wake();
    });
  }

  static async open(url: string): Promise<StreamClient> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/stream`, { perMessageDeflate: false });
    const client = new StreamClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  closed(): Promise<Closed> {
    const tooLate = sleep(TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('the connection was not closed');
    });
    return Promise.race([this.#closing, tooLate]);
  }

  send(message: object | string): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The next message of that type that was not taken yet; those before it are passed over. */
  async next(type: string): Promise<StreamReply> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      while (this.#taken < this.received.length) {
        const message = this.received[this.#taken++]!;
        if (message.type === type) return message;
      }
      if (Date.now() > deadline) {
        const last = JSON.stringify(this.received.slice(-3), (_key, value) =>
          typeof value === 'bigint' ? `${value}` : value,
        );
        throw new Error(`no ${type} was received; last ${last}`);
      }
      await this.#change();
    }
  }

  /** Everything received before the answer to a ping, starting with the first message not yet taken. */
  async drain(): Promise<StreamReply[]> {
    const from = this.#taken;
    this.send({ type: 'ping', id: `drain ${from}` });
    while ((await this.next('pong')).id !== `drain ${from}`);
    return this.received.slice(from, this.#taken - 1);
  }

  /** Nothing is taken from the wire any more. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.terminate();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 250);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
