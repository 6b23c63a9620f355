// Messages of the stream, each written and framed once and shared by all its readers.
import { type STREAM_MESSAGES, type StreamChannel, type StreamMessageType, stringifyJson } from '@presage/protocol';
import type { Answer } from '../answer.ts';

/** Data of a message type. */
export type StreamData<T extends StreamMessageType> = Answer<(typeof STREAM_MESSAGES)[T]>['data'];

/** Common part of a message to several readers: a whole book may be a megabyte, and only its end differs per reader. */
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

/** Messages below this length are copied into one buffer, since an additional buffer in the socket costs more than the copy. */
const COPIED_CHARACTERS = 16_384;

/** A framed message, ready for the socket. */
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

  /** Frame of the message; all readers share the same buffers. */
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

/** A book message, whose `prevSeq` depends on the reader's previous book message. */
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

  /** The message for a reader whose last book message was `seq`: a snapshot after the last change counts as the previous message. */
  after(seq: number): SharedMessage {
    if (seq <= this.#prevSeq) return this.#shared;
    if (this.#joined?.seq !== seq) this.#joined = { seq, message: this.#write(seq) };
    return this.#joined.message;
  }

  /** The same book with another end: for a reader who requested it, or who missed earlier ones. */
  withEnd(end: MessageEnd): BookMessage {
    return new BookMessage(this.#body, toEnd(end), this.#prevSeq);
  }

  #write(prevSeq: number): SharedMessage {
    return new SharedMessage(this.#body, `${this.#end},"prevSeq":${prevSeq}}`);
  }
}

/** Fields of a message that differ per reader. */
export interface MessageEnd {
  readonly id?: unknown;
  readonly isConflated?: boolean;
}

export interface Envelope extends MessageEnd {
  readonly type: StreamMessageType;
  readonly marketId?: string | undefined;
  readonly channel?: StreamChannel | undefined;
  /** Data as JSON text, since most of it is assembled from cached parts. */
  readonly data: string;
  readonly seq?: number | undefined;
  /** Sequence of the message on its channel. */
  readonly channelSeq?: number;
  readonly ts: number;
  /** Journal position, in the format of `Presage-Position`. */
  readonly position?: string | undefined;
  /** Field of a refusal, besides its data. */
  readonly code?: string;
  /** Field of a clock message, besides its data. */
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

/** Frames a whole text message (RFC 6455, 5.2), unmasked like every frame of a server. */
function toTextFrame(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([toFrameHeader(body.length), body]);
}

/** Pong for a ping with this payload, which is shorter than 126 bytes. */
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
