// The last steps of every answer: text of its payload, what it waits for, compression, bytes.
import { pipeline, Readable } from 'node:stream';
import { PresageError, stringifyJson } from '@presage/protocol';
import { type Coding, codingFor, PACKER_BYTES, pack, packer } from './compression.ts';
import type { HttpReply } from './reply.ts';
import type { HttpRequest } from './request.ts';

/** Answers smaller than this cost more to compress than to send. */
const COMPRESS_FROM_CHARACTERS = 4_096;
/** Longer texts are counted while they are made ready to be sent, too; shorter ones only if the client does not take them at once. */
const HELD_FROM_CHARACTERS = 16_384;
/** Most that waits in the buffers of a stream of parts. */
const PIPE_BYTES = 131_072;
const JSON_TYPE = 'application/json; charset=utf-8';

const READS = new Set(['GET', 'HEAD']);

type Body = string | Buffer | Readable;

interface Waits {
  /** Resolves when the answer may be given; undefined if it may be at once. */
  readonly before: (request: HttpRequest, reply: HttpReply) => Promise<unknown> | undefined;
  /** Answers with a failure instead. */
  readonly fail: (request: HttpRequest, reply: HttpReply, cause: unknown) => void;
}

export function finisher({ before, fail }: Waits) {
  /** An answer that cannot be given becomes a failure; if that cannot be given either, nothing but the end of the connection is left. */
  const failInstead = (request: HttpRequest, reply: HttpReply, cause: unknown): void => {
    // The use of its token is not waited for a second time.
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

/** Refuses a read without room for its answer. A write has had its effect, which its client must learn. */
function hold(request: HttpRequest, reply: HttpReply, text: string): void {
  if (READS.has(request.method) && !reply.hasRoom) {
    request.isShed = true;
    throw new PresageError('overloaded');
  }
  reply.noteHeld(text.length);
}

/** Nobody is there to read the answer. */
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
  // Bytes are static content, which is compressed already, once for all readers.
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
  // Whatever waits to be packed is counted, however short.
  reply.noteHeld(body.length);
  pack(body, coding, reply.raw).then(
    (packed) => packed && writeWhole(reply, packed),
    () => reply.raw.destroy(),
  );
}

function writeWhole(reply: HttpReply, body: string | Buffer): void {
  // An answer without content says so by its status.
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
  // A reader that leaves ends the stream, and a stream that fails cuts the connection: both are told by the pipeline.
  const ended = () => undefined;
  if (coding === undefined) pipeline(body, stream, ended);
  else pipeline(body, packer(coding), stream, ended);
}
