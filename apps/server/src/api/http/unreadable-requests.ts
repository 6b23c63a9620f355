// The answer to what is no HTTP request, or not in time: a refusal like every other, and the end of the connection.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, LIMITS, PresageError } from '@presage/protocol';
import { toRefusalBody } from '../refusals.ts';

/** The names that node gives to failures; every other one is malformed. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

interface ParseFailure extends Error {
  readonly code?: string;
  /** What the parser says is wrong. */
  readonly reason?: string;
}

/** `isAnswering` tells whether part of an answer is on its way: whatever follows would be read as the rest of it. */
export function answerUnreadable(server: Server, isAnswering: (connection: Duplex) => boolean): void {
  server.on('clientError', (failure: ParseFailure, connection: Duplex) => {
    if (connection.writable && !isAnswering(connection)) connection.write(toBytes(toRefusal(failure)));
    connection.destroy(failure);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    // It may be ignored, and no client of ours needs another one than "100-continue".
    server.emit('request', request, response);
  });
}

function toRefusal({ code = '', reason, message }: ParseFailure): PresageError {
  const refusal = CODES[code] ?? 'malformed_request';
  if (refusal === 'headers_too_large') return new PresageError(refusal, { maximum: LIMITS.headerBytes });
  return new PresageError(refusal, refusal === 'malformed_request' ? { reason: reason ?? message } : undefined);
}

function toBytes(refusal: PresageError): string {
  const requestId = randomUUID();
  const body = JSON.stringify(toRefusalBody(refusal, requestId));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
