// What answers a method at a path.
import type { WebSocket } from 'ws';
import type { CheckedToken } from '../../auth/token-checker.ts';
import type { HttpReply } from './reply.ts';
import type { HttpRequest } from './request.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/api/v1/markets/:id`. */
  readonly path: string;
  /** HEAD is answered like GET without a body, unless this is false. */
  readonly hasHead?: boolean;
  /** Waits for its turn when more orders come than can be answered, and is refused first. */
  readonly isShedFirst?: boolean;
  /** Checks the token of the caller before the body is read, and notes who it is. */
  readonly identify?: ((request: HttpRequest) => CheckedToken<unknown> | undefined) | undefined;
  /** Returns or resolves to the answer, or sends it by itself. */
  readonly handler: (request: HttpRequest, reply: HttpReply) => unknown;
  /** Takes an upgraded connection. */
  readonly onUpgrade?: (socket: WebSocket, request: HttpRequest) => void;
  /** Gives a failure of this route another name, or headers. */
  readonly toRefusal?: (cause: unknown, reply: HttpReply) => unknown;
}
