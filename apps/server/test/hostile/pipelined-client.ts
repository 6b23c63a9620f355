// Many requests over few connections, written before the former ones are answered: the quickest way to ask a million times.
import { connect, type Socket } from 'node:net';
import type { DrawnRequest } from './request-grammar.ts';

export interface Fired {
  readonly answered: number;
  /** Count by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Connections that the service closed, and requests that it therefore never answered. */
  readonly closed: number;
  readonly unanswered: number;
  /** The first request that was not answered on each of the first such connections, and how long it was waited for. */
  readonly leftAlone: readonly string[];
  /** Every request that failed inside. */
  readonly failures: readonly string[];
}

interface FireOptions {
  readonly port: number;
  readonly count: number;
  readonly connections: number;
  readonly draw: () => DrawnRequest;
}

/** Written together; the service reads them one after the other. */
const PIPELINE = 16;

export async function fire(options: FireOptions): Promise<Fired> {
  const volley = new Volley(options);
  await Promise.all(Array.from({ length: options.connections }, () => volley.drive()));
  return volley.result();
}

class Volley {
  readonly #options: FireOptions;
  readonly #statuses: Record<number, number> = {};
  readonly #failures: string[] = [];
  readonly #leftAlone: string[] = [];
  #answered = 0;
  #closed = 0;
  #unanswered = 0;

  constructor(options: FireOptions) {
    this.#options = options;
  }

  /** Over one connection at a time, until enough are answered by all together. */
  async drive(): Promise<void> {
    while (this.#answered < this.#options.count) {
      const socket = connect(this.#options.port, '127.0.0.1');
      await this.#useUp(socket).finally(() => socket.destroy());
    }
  }

  result(): Fired {
    return {
      answered: this.#answered,
      statuses: this.#statuses,
      closed: this.#closed,
      unanswered: this.#unanswered,
      failures: this.#failures,
      leftAlone: this.#leftAlone,
    };
  }

  async #useUp(socket: Socket): Promise<void> {
    const replies = new ReplyCounter(socket);
    while (this.#answered < this.#options.count) {
      const requests = this.#drawPipeline();
      const startMs = performance.now();
      const statuses = await replies.after(Buffer.concat(requests.map(({ bytes }) => bytes)), requests.length);
      for (const [index, status] of statuses.entries()) this.#note(status, requests[index]!);
      if (statuses.length === requests.length) continue;
      this.#closed++;
      this.#unanswered += requests.length - statuses.length;
      const waitedMs = Math.round(performance.now() - startMs);
      if (this.#leftAlone.length < 20) this.#leftAlone.push(`${waitedMs} ms: ${requests[statuses.length]!.name}`);
      return;
    }
  }

  #drawPipeline(): DrawnRequest[] {
    const requests = [this.#options.draw()];
    while (requests.length < PIPELINE && !requests.at(-1)!.isLast) requests.push(this.#options.draw());
    return requests;
  }

  #note(status: number, { name }: DrawnRequest): void {
    this.#answered++;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (status >= 500 && status !== 503 && this.#failures.length < 20) this.#failures.push(`${status}: ${name}`);
  }
}

/** Counts whole replies; knows lengths and chunks, and that an interim reply is none. */
class ReplyCounter {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #statuses: number[] = [];
  #wanted = 0;
  #done: (statuses: number[]) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#read(data));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#finish());
  }

  /** The statuses of the answers, in order; fewer when the connection ends before. */
  after(bytes: Buffer, count: number): Promise<number[]> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) return resolve([]);
      this.#statuses = [];
      this.#wanted = count;
      this.#done = resolve;
      this.#socket.write(bytes);
    });
  }

  #read(data: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? data : Buffer.concat([this.#bytes, data]);
    for (let end = this.#endOfReply(); end !== undefined; end = this.#endOfReply()) {
      const status = Number(this.#bytes.toString('latin1', 9, 12));
      this.#bytes = this.#bytes.subarray(end);
      if (status >= 200) this.#statuses.push(status);
    }
    if (this.#statuses.length >= this.#wanted) this.#finish();
  }

  #finish(): void {
    this.#done(this.#statuses);
  }

  #endOfReply(): number | undefined {
    const bodyAt = this.#bytes.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return undefined;
    const head = this.#bytes.toString('latin1', 0, bodyAt).toLowerCase();
    const length = /\r\ncontent-length: *(\d+)\r\n/.exec(head)?.[1];
    if (length !== undefined)
      return this.#bytes.length >= bodyAt + Number(length) ? bodyAt + Number(length) : undefined;
    if (!head.includes('\r\ntransfer-encoding: chunked\r\n')) return bodyAt;
    return this.#endOfChunks(bodyAt);
  }

  #endOfChunks(from: number): number | undefined {
    for (let at = from; ; ) {
      const lineEnd = this.#bytes.indexOf('\r\n', at);
      if (lineEnd === -1) return undefined;
      const size = Number.parseInt(this.#bytes.toString('latin1', at, lineEnd), 16);
      at = lineEnd + 2 + size + 2;
      if (at > this.#bytes.length) return undefined;
      if (size === 0) return at;
    }
  }
}
