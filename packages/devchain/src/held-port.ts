// Listens on a port before its server exists: connections wait, and are handed over when the server is ready.
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { portOf } from '@presage/runtime/node';

const ignore = () => undefined;

export class HeldPort {
  readonly #holder: Server;
  readonly #waiting = new Set<Socket>();

  private constructor() {
    this.#holder = createServer({ pauseOnConnect: true }, (socket) => {
      this.#waiting.add(socket);
      // A caller that disconnects is not handed over.
      socket.once('close', () => this.#waiting.delete(socket)).on('error', ignore);
    });
  }

  /** Port 0 takes any free port. */
  static async take(host: string, port: number): Promise<HeldPort> {
    const held = new HeldPort();
    held.#holder.listen(port, host);
    await once(held.#holder, 'listening');
    return held;
  }

  get port(): number {
    return portOf(this.#holder);
  }

  /** Hands the port and all waiting connections to the server. */
  async handTo(server: HttpServer): Promise<void> {
    server.listen(this.#holder);
    await once(server, 'listening');
    for (const socket of this.#waiting) {
      socket.off('error', ignore);
      server.emit('connection', socket);
      socket.resume();
    }
    this.#waiting.clear();
  }
}
