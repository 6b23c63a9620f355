// Grammar of requests that are read without node:http: whole, in one chunk, and without anything ambiguous.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '@presage/protocol';
import type { RawRequest } from './exchange.ts';

export interface QuickRequest extends RawRequest {
  readonly method: string;
  readonly url: string;
  readonly wholeBody: Buffer;
}

const LINE_BREAK = '\r\n';
const END_OF_HEAD = Buffer.from(LINE_BREAK + LINE_BREAK);
const VERSION = ' HTTP/1.1';
/** Limits on the head; Node allows more, our clients need less. */
const MAX_HEAD_BYTES = 8_192;
const MAX_HEADERS = 40;
const NO_BODY = Buffer.alloc(0);

const REQUEST_LINE = /^(GET|POST|DELETE) (\/[\w\-./~?&=%:,;@!$'()*+]*) HTTP\/1\.1$/;
/** A header line. The value begins and ends with a visible character, so nothing needs trimming. */
const HEADER = /^([A-Za-z][A-Za-z0-9-]*): ?([!-~](?:[ -~]*[!-~])?)$/;
const LENGTH = /^(?:0|[1-9]\d{0,5})$/;
/** Headers that change how the rest is read, or that are not joined like others when repeated. */
const UNUSUAL = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'proxy-connection',
  'trailer',
  'te',
  'http2-settings',
  'set-cookie',
]);

/** Reads a request; undefined unless `chunk` is exactly one request of this grammar. */
export function readQuickRequest(chunk: Buffer, socket: Socket): QuickRequest | undefined {
  const headEnd = chunk.indexOf(END_OF_HEAD);
  if (headEnd === -1 || headEnd > MAX_HEAD_BYTES) return undefined;
  const lines = chunk.toString('latin1', 0, headEnd).split(LINE_BREAK, MAX_HEADERS + 2);
  const line = REQUEST_LINE.exec(lines[0]!);
  if (line === null || lines.length > MAX_HEADERS + 1) return undefined;
  const headers = readHeaders(chunk, lines);
  if (headers?.host === undefined || !staysOpen(headers)) return undefined;
  const [, method = '', target = ''] = line;
  const url = ownText(chunk, target, lines[0]!.length - VERSION.length);
  const bodyAt = headEnd + END_OF_HEAD.length;
  if (chunk.length - bodyAt !== bodyLength(method, headers)) return undefined;
  const wholeBody = bodyAt === chunk.length ? NO_BODY : chunk.subarray(bodyAt);
  return { method, url, headers, socket, wholeBody };
}

/** Reads the headers; undefined if one is unusual or repeated, since node joins some repeated headers and drops others. */
function readHeaders(chunk: Buffer, lines: readonly string[]): IncomingHttpHeaders | undefined {
  const headers: IncomingHttpHeaders = {};
  let lineEnd = lines[0]!.length;
  for (let at = 1; at < lines.length; at++) {
    const header = HEADER.exec(lines[at]!);
    if (header === null) return undefined;
    const name = header[1]!.toLowerCase();
    // Names that every object inherits count as repeated, as they do in node.
    if (headers[name] !== undefined || UNUSUAL.has(name)) return undefined;
    lineEnd += LINE_BREAK.length + lines[at]!.length;
    headers[name] = ownText(chunk, header[2]!, lineEnd);
  }
  return headers;
}

/** Longest substring that V8 copies. A longer one keeps the whole head alive, for example as a client's address in the rate limits. */
const MAX_COPIED = 12;

/** A copy of the text that does not keep the head alive: read again from the request, where it ends at `end`. */
function ownText(chunk: Buffer, text: string, end: number): string {
  return text.length <= MAX_COPIED ? text : chunk.toString('latin1', end - text.length, end);
}

function staysOpen({ connection }: IncomingHttpHeaders): boolean {
  return connection === undefined || connection.toLowerCase() === 'keep-alive';
}

/** Length of the body; undefined if it is unusual. */
function bodyLength(method: string, { 'content-length': length }: IncomingHttpHeaders): number | undefined {
  if (length === undefined) return 0;
  if (method === 'GET' || !LENGTH.test(length) || Number(length) > LIMITS.bodyBytes) return undefined;
  return Number(length);
}
