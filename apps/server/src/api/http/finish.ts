// The last steps of every answer: text of its payload, waits, compression, bytes.
import { pipeline, Readable } from 'node:stream';
import { stringifyJson } from '@presage/protocol';
import { type Coding, codingFor, PACKER_BYTES, pack, packer } from './compression.ts';
import type { HttpReply } from './reply.ts';
import type { HttpRequest } from './request.ts';
import { requireRoom } from './require-room.ts';

/** Minimum length for compression: shorter answers cost more to compress than to send. */
const COMPRESS_FROM_CHARACTERS = 4_096;
/** Texts from this length count as held memory while being prepared, too; shorter ones only if the client does not take them at once. */
const HELD_FROM_CHARACTERS = 16_384;
/** Maximum in the buffers of a streamed answer. */
const PIPE_BYTES = 131_072;
const JSON_TYPE = 'application/json; charset=utf-8';

const READS = new Set(['GET', 'HEAD']);

type Body = string | Buffer | Readable;

interface Waits {
  /** Resolves when the answer may be sent; undefined if it may be sent immediately. */
  readonly before: (request: HttpRequest, reply: HttpReply) => Promise<unknown> | undefined;
  /** Answers with an error instead. */
  readonly fail: (request: HttpRequest, reply: HttpReply, cause: unknown) => void;
}

export function finisher({ before, fail }: Waits) {
  /** Answers with an error instead of an answer that cannot be sent; closes the connection if the error cannot be sent either. */
  const failInstead = (request: HttpRequest, reply: HttpReply, cause: unknown): void => {
    // The error must not wait for the token's use a second time.
    request.caller = undefined;
    request.operator = undefined;
    if (reply.retract()) fail(request, reply, cause);
    else reply.raw.destroy();
  };
  const deliver = (request: HttpRequest, reply: HttpReply, body: Body): void => {
    try {
      write(request, reply, body);
    } catch (cause) {
      reply.dropHeaders();
      failInstead(request, reply, cause);
    }
  };
  return (request: HttpRequest, reply: HttpReply, payload: unknown): void => {
    if (reply.raw.destroyed) {
      discard(payload);
      return;
    }
    try {
      const body = toBody(reply, payload);
      if (typeof body === 'string' && body.length >= HELD_FROM_CHARACTERS) hold(request, reply, body);
      const waiting = before(request, reply);
      if (waiting === undefined) deliver(request, reply, body);
      else
        waiting.then(
          () => deliver(request, reply, body),
          (cause) => failInstead(request, reply, cause),
        );
    } catch (cause) {
      failInstead(request, reply, cause);
    }
  };
}

/** Counts the answer's memory; refuses a read without room for it. A write already had its effect, so its client must get the answer. */
function hold(request: HttpRequest, reply: HttpReply, text: string): void {
  if (READS.has(request.method)) requireRoom(request, reply);
  reply.noteHeld(text.length);
}

/** Discards an answer without a reader. */
function discard(payload: unknown): void {
  if (payload instanceof Readable) payload.destroy();
}

function toBody(reply: HttpReply, payload: unknown): Body {
  if (payload === undefined) return '';
  if (typeof payload === 'string' && !reply.hasHeader('content-type')) reply.type('text/plain; charset=utf-8');
  if (typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof Readable) return payload;
  if (!reply.hasHeader('content-type')) reply.type(JSON_TYPE);
  return stringifyJson(payload);
}

function write(request: HttpRequest, reply: HttpReply, body: Body): void {
  if (request.method === 'HEAD') writeHeadOnly(reply, body);
  // A buffer is static content, already compressed once for all readers.
  else if (Buffer.isBuffer(body)) writeWhole(reply, body);
  else if (typeof body === 'string' && body.length < COMPRESS_FROM_CHARACTERS) writeWhole(reply, body);
  else writeLarge(reply, body, codingFor(request.headers['accept-encoding']));
}

function writeLarge(reply: HttpReply, body: string | Readable, coding: Coding | undefined): void {
  reply.header('vary', 'Origin, Accept-Encoding');
  if (coding !== undefined) reply.header('content-encoding', coding);
  if (typeof body !== 'string') writeStream(reply, body, coding);
  else if (coding === undefined) writeWhole(reply, body);
  else writePacked(reply, body, coding);
}

function writePacked(reply: HttpReply, body: string, coding: Coding): void {
  // Counted at any length, since it may wait for its compression.
  reply.noteHeld(body.length);
  pack(body, coding, reply.raw).then(
    (packed) => packed && writeWhole(reply, packed),
    () => reply.raw.destroy(),
  );
}

function writeWhole(reply: HttpReply, body: string | Buffer): void {
  // 304 and 204 have no content, so no length is sent.
  const bytes = Buffer.byteLength(body);
  if (reply.statusCode !== 304 && reply.statusCode !== 204) reply.header('content-length', bytes);
  reply.writeHead();
  reply.end(body, bytes);
}

function writeHeadOnly(reply: HttpReply, body: Body): void {
  if (body instanceof Readable) body.destroy();
  else if (reply.statusCode !== 304) reply.header('content-length', Buffer.byteLength(body));
  reply.writeHead();
  reply.raw.end();
}

function writeStream(reply: HttpReply, body: Readable, coding: Coding | undefined): void {
  const { stream } = reply;
  reply.writeHead();
  reply.notePiped(PIPE_BYTES + (coding === undefined ? 0 : PACKER_BYTES[coding]));
  // The pipeline handles both ends: a reader that leaves destroys the stream, and a failed stream cuts the connection.
  const ended = () => undefined;
  if (coding === undefined) pipeline(body, stream, ended);
  else pipeline(body, packer(coding), stream, ended);
}
