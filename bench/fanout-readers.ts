// Many WebSocket readers in one process: they parse frames and count, and decode as little as a measurement allows.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const TEXT_FRAME = 0x81;
const CLOSE_FRAME = 0x88;
const PING_FRAME = 0x89;
const SHORT = 126;

export class StreamReader {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #last: Buffer | undefined;
  #texts: Buffer[] = [];
  readonly #keepsTexts: boolean;
  /** Messages since the last `reset`. */
  count = 0;

  constructor(socket: Socket, keepsTexts: boolean) {
    this.#socket = socket;
    this.#keepsTexts = keepsTexts;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Sequence of the newest message that has one. */
  get lastSeq(): number | undefined {
    const found = this.#last && /"seq":(\d+),"ts"/.exec(this.#last.toString('latin1'));
    return found ? Number(found[1]) : undefined;
  }

  /** Messages of the first reader, the only one that keeps them. */
  get texts(): string[] {
    return this.#texts.map((text) => text.toString('utf8'));
  }

  reset(): void {
    this.count = 0;
    this.#texts = [];
  }

  /** Supports short messages only. A client must mask its frames; a mask of zeros is valid. */
  send(message: object): void {
    const text = Buffer.from(JSON.stringify(message));
    const head = Buffer.from([TEXT_FRAME, 0x80 | SHORT, text.length >> 8, text.length & 0xff, 0, 0, 0, 0]);
    this.#socket.write(Buffer.concat([head, text]));
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let end = frameEnd(data, at); end !== undefined && end <= data.length; end = frameEnd(data, at)) {
      this.#onFrame(data.subarray(at, end));
      at = end;
    }
    this.#rest = data.subarray(at);
  }

  #onFrame(frame: Buffer): void {
    if (frame[0] === PING_FRAME) return void this.#socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
    if (frame[0] === CLOSE_FRAME) throw new Error('the server closed a stream');
    if (frame[0] !== TEXT_FRAME) return;
    this.count++;
    this.#last = frame;
    if (this.#keepsTexts) this.#texts.push(frame.subarray(headLength(frame, 0)));
  }
}

function headLength(data: Buffer, at: number): number {
  const length = data[at + 1]! & 0x7f;
  return length < SHORT ? 2 : length === SHORT ? 4 : 10;
}

function frameEnd(data: Buffer, at: number): number | undefined {
  if (data.length < at + 2) return undefined;
  const head = headLength(data, at);
  if (data.length < at + head) return undefined;
  const length = data[at + 1]! & 0x7f;
  if (head === 2) return at + 2 + length;
  return at + head + (head === 4 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2)));
}

/** Only the first reader keeps its messages. */
export async function openReaders(url: string, count: number): Promise<StreamReader[]> {
  const readers: StreamReader[] = [];
  while (readers.length < count) readers.push(new StreamReader(await openSocket(url), readers.length === 0));
  return readers;
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  const [data] = await once(socket, 'data');
  const answer: Buffer = data;
  const end = answer.indexOf('\r\n\r\n') + 4;
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(`${url} is no WebSocket`);
  // Bytes after the handshake belong to the first frame.
  if (end < answer.length) socket.unshift(answer.subarray(end));
  return socket;
}
