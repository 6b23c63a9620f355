// Handles WebSocket upgrades: routed like every request, then upgraded, or answered and closed.
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@presage/protocol';
import { type WebSocket, WebSocketServer } from 'ws';

/** A connection that waits for its upgrade. */
export interface Upgrade {
  /** Upgrades to a WebSocket; refuses a malformed handshake with 400. */
  readonly accept: (onOpen: (socket: WebSocket) => void) => void;
}

/** Limit on fragments of an unfinished message. Each takes a hundred bytes of overhead: 16,000 of one byte took 1.3 MB. */
const MAX_PIECES = 256;

interface Opened {
  readonly response: ServerResponse;
  readonly upgrade: Upgrade;
}

export class Upgrades {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: LIMITS.streamPayloadBytes,
    perMessageDeflate: false,
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    // Automatic pongs to a client that does not read would pile up without a bound. Sessions answer pings within their own bound.
    autoPong: false,
  });

  /** Prepares an answer for the connection and a function to upgrade it instead; undefined if the connection was closed. */
  open(request: IncomingMessage, connection: Duplex, head: Buffer): Opened | undefined {
    // Node has removed its own error listener from the connection.
    const onError = () => connection.destroy();
    connection.on('error', onError);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    if (!(connection instanceof Socket)) throw new Error('an upgrade came over something else than a socket');
    try {
      response.assignSocket(connection);
    } catch {
      // An earlier request of this connection is still unanswered, and Node gives it to one answer at a time. Real clients never do this.
      connection.destroy();
      return undefined;
    }
    // Nobody reads it any more: with its end alone, a client that has sent more and left would keep its place for ever.
    response.once('finish', () => connection.destroySoon());
    const accept: Upgrade['accept'] = (onOpen) => {
      response.detachSocket(connection);
      connection.off('error', onError);
      this.#sockets.handleUpgrade(request, connection, head, (socket) => {
        // On a broken frame the library closes the connection with the matching code; nothing else to do.
        socket.on('error', () => undefined);
        onOpen(socket);
      });
    };
    return { response, upgrade: { accept } };
  }
}
