// Bodies in the way of a request: each is received whole before it is parsed, and that of an order before it waits for its turn.
import { Readable } from 'node:stream';
import type { PresageError } from '@presage/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ReceivedBodies } from './received-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined while it was not waited for: most bodies come in one piece with their headers, and are read by Fastify. */
    receivedBody: Buffer | undefined;
  }
}

/** Calls `next` when the body is there; a second call for the same request does so at once. */
export type ReceiveBody = (request: FastifyRequest, next: (refusal?: PresageError) => void) => void;

/** Bodies of these are never parsed. */
const WITHOUT_BODY = new Set(['GET', 'HEAD']);

export function createBodyReceiver(bodies: ReceivedBodies): ReceiveBody {
  return (request, next) => {
    if (request.receivedBody !== undefined || WITHOUT_BODY.has(request.method) || isInOnePiece(request)) return next();
    bodies.receive(request.raw, (outcome) => {
      if (Buffer.isBuffer(outcome)) {
        request.receivedBody = outcome;
        return next();
      }
      request.isShed = outcome.code === 'overloaded';
      next(outcome);
    });
  };
}

/** After everything that refuses a request by its headers. */
export function receiveBodies(server: FastifyInstance, receive: ReceiveBody): void {
  server.decorateRequest('receivedBody', undefined);
  server.addHook('preParsing', (request, _reply, payload, next) => {
    receive(request, (refusal) => {
      const { receivedBody } = request;
      if (refusal !== undefined) next(refusal);
      else next(null, receivedBody === undefined ? payload : Readable.from(receivedBody));
    });
  });
}

/** Not in chunks, however short: each of them would be a buffer of its own for as long as the order waits. */
function isInOnePiece({ raw, headers }: FastifyRequest): boolean {
  return raw.complete && headers['transfer-encoding'] === undefined;
}
