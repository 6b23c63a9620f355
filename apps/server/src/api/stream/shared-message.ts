// One message of the stream, written and framed once and shared by all its readers.
import { type STREAM_MESSAGES, type StreamChannel, type StreamMessageType, stringifyJson } from '@presage/protocol';
import type { Answer } from '../answer.ts';

/** What a message of that type carries. */
export type StreamData<T extends StreamMessageType> = Answer<(typeof STREAM_MESSAGES)[T]>['data'];

export class SharedMessage {
  readonly text: string;
  #frame: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** As it goes into the socket: every reader writes this very buffer. */
  get frame(): Buffer {
    this.#frame ??= toTextFrame(this.text);
    return this.#frame;
  }
}

/** A book message, whose `prevSeq` depends on what its reader was sent before. */
export class BookMessage {
  readonly #head: string;
  readonly #prevSeq: number;
  readonly #shared: SharedMessage;
  #joined: { readonly seq: number; readonly message: SharedMessage } | undefined;

  constructor(head: string, prevSeq: number) {
    this.#head = head;
    this.#prevSeq = prevSeq;
    this.#shared = this.#write(prevSeq);
  }

  get length(): number {
    return this.#shared.text.length;
  }

  /** To one who got a snapshot after the last change, that snapshot is the previous book message. */
  after(seq: number): SharedMessage {
    if (seq <= this.#prevSeq) return this.#shared;
    if (this.#joined?.seq !== seq) this.#joined = { seq, message: this.#write(seq) };
    return this.#joined.message;
  }

  #write(prevSeq: number): SharedMessage {
    return new SharedMessage(`${this.#head},"prevSeq":${prevSeq}}`);
  }
}

export interface Envelope {
  readonly type: StreamMessageType;
  readonly marketId?: string | undefined;
  readonly channel?: StreamChannel | undefined;
  /** JSON already, since most of it is put together from parts that are kept. */
  readonly data: string;
  readonly seq?: number | undefined;
  readonly ts: number;
  readonly id?: unknown;
  readonly isConflated?: boolean;
  /** Of a refusal, beside its data. */
  readonly code?: string;
  /** Of a move of the clock, beside its data. */
  readonly nowMs?: number;
}

/** Writes the fields that all messages share around their data. */
export class MessageWriter {
  readonly #streamId: string;

  constructor(streamId: string) {
    this.#streamId = streamId;
  }

  write(envelope: Envelope): SharedMessage {
    return new SharedMessage(`${this.#head(envelope)}}`);
  }

  writeBook(envelope: Envelope, prevSeq: number): BookMessage {
    return new BookMessage(this.#head(envelope), prevSeq);
  }

  #head({ type, marketId, channel, data, seq, ts, id, isConflated, code, nowMs }: Envelope): string {
    let text = `{"type":"${type}"`;
    if (code !== undefined) text += `,"code":"${code}"`;
    if (nowMs !== undefined) text += `,"nowMs":${nowMs}`;
    if (channel !== undefined) text += `,"channel":"${channel}"`;
    if (marketId !== undefined) text += `,"marketId":"${marketId}"`;
    text += `,"data":${data}`;
    if (seq !== undefined) text += `,"seq":${seq}`;
    text += `,"ts":${ts},"streamId":"${this.#streamId}"`;
    if (id !== undefined) text += `,"id":${stringifyJson(id)}`;
    return isConflated ? `${text},"conflated":true` : text;
  }
}

const FINAL_TEXT_FRAME = 0x81;
const SHORT = 126;
const LONG = 127;

/** RFC 6455, 5.2: a whole text message, unmasked as from any server. */
function toTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const start = length < SHORT ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = FINAL_TEXT_FRAME;
  if (start === 2) frame[1] = length;
  else if (start === 4) frame[1] = SHORT;
  else frame[1] = LONG;
  if (start === 4) frame.writeUInt16BE(length, 2);
  if (start === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, start);
  return frame;
}
