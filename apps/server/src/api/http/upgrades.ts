// Connections that ask to become WebSockets: routed like every request, then handed over or answered and closed.
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@presage/protocol';
import { type WebSocket, WebSocketServer } from 'ws';

/** A connection that waits for its upgrade. */
export interface Upgrade {
  /** Makes it a WebSocket; a handshake that is malformed is refused with 400. */
  readonly accept: (onOpen: (socket: WebSocket) => void) => void;
}

/** Each piece of an unfinished message takes a hundred bytes besides its own, which may be one: 16,000 of them took 1.3 MB of a connection. */
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
    // Automatic pongs to a client that reads nothing would pile up without a bound: sessions answer pings within their own.
    autoPong: false,
  });

  /** The answer for the connection, and the way to upgrade it instead. Undefined for a connection that it closes. */
  open(request: IncomingMessage, connection: Duplex, head: Buffer): Opened | undefined {
    // Node has removed its own listener from the connection.
    const onError = () => connection.destroy();
    connection.on('error', onError);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    if (!(connection instanceof Socket)) throw new Error('an upgrade came over something else than a socket');
    try {
      response.assignSocket(connection);
    } catch {
      // Node gives a connection to one answer at a time, and an earlier request of this one is not answered yet. Clients do not ask so.
      connection.destroy();
      return undefined;
    }
    response.once('finish', () => connection.end());
    const accept: Upgrade['accept'] = (onOpen) => {
      response.detachSocket(connection);
      connection.off('error', onError);
      this.#sockets.handleUpgrade(request, connection, head, (socket) => {
        // A broken frame closes its connection with the code that says so; there is nothing else to do.
        socket.on('error', () => undefined);
        onOpen(socket);
      });
    };
    return { response, upgrade: { accept } };
  }
}
