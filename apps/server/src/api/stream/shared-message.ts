// One message of the stream, written and framed once and shared by all its readers.
import { type STREAM_MESSAGES, type StreamChannel, type StreamMessageType, stringifyJson } from '@presage/protocol';
import type { Answer } from '../answer.ts';

/** What a message of that type carries. */
export type StreamData<T extends StreamMessageType> = Answer<(typeof STREAM_MESSAGES)[T]>['data'];

/** What messages to several readers have in common: a whole book may be a megabyte, and only its end is each reader's own. */
class MessageBody {
  readonly text: string;
  #bytes: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}

/** Shorter ones are copied into one buffer: a buffer more in the socket costs more than that. */
const COPIED_CHARACTERS = 16_384;

/** The bytes that go into the socket. */
export interface OutgoingMessage {
  readonly frame: readonly Buffer[];
  readonly bytes: number;
}

export class SharedMessage implements OutgoingMessage {
  readonly #body: MessageBody;
  readonly #end: string;
  #frame: readonly Buffer[] | undefined;

  constructor(body: MessageBody, end: string) {
    this.#body = body;
    this.#end = end;
  }

  /** Length in characters. */
  get length(): number {
    return this.#body.text.length + this.#end.length;
  }

  /** Every reader writes these very buffers. */
  get frame(): readonly Buffer[] {
    this.#frame ??= this.length < COPIED_CHARACTERS ? [toTextFrame(this.#body.text + this.#end)] : this.#share();
    return this.#frame;
  }

  get bytes(): number {
    return this.frame.reduce((sum, { length }) => sum + length, 0);
  }

  #share(): Buffer[] {
    const [body, end] = [this.#body.bytes, Buffer.from(this.#end)];
    return [toFrameHeader(body.length + end.length), body, end];
  }
}

/** A book message, whose `prevSeq` depends on what its reader was sent before. */
export class BookMessage {
  readonly #body: MessageBody;
  readonly #end: string;
  readonly #prevSeq: number;
  readonly #shared: SharedMessage;
  #joined: { readonly seq: number; readonly message: SharedMessage } | undefined;

  constructor(body: MessageBody, end: string, prevSeq: number) {
    this.#body = body;
    this.#end = end;
    this.#prevSeq = prevSeq;
    this.#shared = this.#write(prevSeq);
  }

  get length(): number {
    return this.#shared.length;
  }

  /** For a reader that got a snapshot after the last change, the snapshot is the previous book message. */
  after(seq: number): SharedMessage {
    if (seq <= this.#prevSeq) return this.#shared;
    if (this.#joined?.seq !== seq) this.#joined = { seq, message: this.#write(seq) };
    return this.#joined.message;
  }

  /** The same book for a reader who asked for it, or to whom others were left out. */
  withEnd(end: MessageEnd): BookMessage {
    return new BookMessage(this.#body, toEnd(end), this.#prevSeq);
  }

  #write(prevSeq: number): SharedMessage {
    return new SharedMessage(this.#body, `${this.#end},"prevSeq":${prevSeq}}`);
  }
}

/** What is a reader's own in a message. */
export interface MessageEnd {
  readonly id?: unknown;
  readonly isConflated?: boolean;
}

export interface Envelope extends MessageEnd {
  readonly type: StreamMessageType;
  readonly marketId?: string | undefined;
  readonly channel?: StreamChannel | undefined;
  /** JSON already, since most of it is put together from parts that are kept. */
  readonly data: string;
  readonly seq?: number | undefined;
  /** Number of the message on its channel. */
  readonly channelSeq?: number;
  readonly ts: number;
  /** How far the journal was, as `Presage-Position` says it. */
  readonly position?: string | undefined;
  /** Fields of a refusal, beside its data. */
  readonly code?: string;
  /** Fields of a move of the clock, beside its data. */
  readonly nowMs?: number;
}

/** Writes the fields that all messages share around their data. */
export class MessageWriter {
  readonly #streamId: string;

  constructor(streamId: string) {
    this.#streamId = streamId;
  }

  write(envelope: Envelope): SharedMessage {
    return new SharedMessage(this.#body(envelope), `${toEnd(envelope)}}`);
  }

  writeBook(envelope: Envelope, prevSeq: number): BookMessage {
    return new BookMessage(this.#body(envelope), toEnd(envelope), prevSeq);
  }

  #body({ type, marketId, channel, data, seq, channelSeq, ts, position, code, nowMs }: Envelope): MessageBody {
    let text = `{"type":"${type}"`;
    if (code !== undefined) text += `,"code":"${code}"`;
    if (nowMs !== undefined) text += `,"nowMs":${nowMs}`;
    if (channel !== undefined) text += `,"channel":"${channel}"`;
    if (marketId !== undefined) text += `,"marketId":"${marketId}"`;
    text += `,"data":${data}`;
    if (seq !== undefined) text += `,"seq":${seq}`;
    if (channelSeq !== undefined) text += `,"channelSeq":${channelSeq}`;
    if (position !== undefined) text += `,"position":"${position}"`;
    return new MessageBody(`${text},"ts":${ts},"streamId":"${this.#streamId}"`);
  }
}

function toEnd({ id, isConflated }: MessageEnd): string {
  const text = id === undefined ? '' : `,"id":${stringifyJson(id)}`;
  return isConflated ? `${text},"conflated":true` : text;
}

const FINAL_TEXT_FRAME = 0x81;
const PONG_FRAME = 0x8a;
const SHORT = 126;
const LONG = 127;

/** RFC 6455, 5.2: a whole text message, unmasked as from any server. */
function toTextFrame(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([toFrameHeader(body.length), body]);
}

/** The answer to a ping with this payload, which is shorter than 126 bytes. */
export function toPong(payload: Buffer): OutgoingMessage {
  const frame = Buffer.concat([toFrameHeader(payload.length, PONG_FRAME), payload]);
  return { frame: [frame], bytes: frame.length };
}

function toFrameHeader(length: number, kind = FINAL_TEXT_FRAME): Buffer {
  const header = Buffer.alloc(length < SHORT ? 2 : length < 65_536 ? 4 : 10);
  header[0] = kind;
  if (header.length === 2) header[1] = length;
  else header[1] = header.length === 4 ? SHORT : LONG;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
