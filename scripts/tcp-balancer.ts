// Spreads TCP connections over the ready ones of several services, for use on one machine and with any protocol.
import { connect, createServer, type Server, type Socket } from 'node:net';

const LOOK_MS = 500;

export class TcpBalancer {
  readonly #urls: readonly string[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #ready: readonly string[];
  #next = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
    this.#ready = urls;
    this.#server = createServer((socket) => this.#pass(socket));
  }

  /** Resolves with its address; port 0 takes any free port. */
  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#looking = setInterval(() => void this.#look(), LOOK_MS);
    const bound = this.#server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the balancer has no port');
    return `http://127.0.0.1:${bound.port}`;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(socket: Socket): void {
    const url = this.#ready[this.#next++ % Math.max(1, this.#ready.length)];
    if (url === undefined) return void socket.destroy();
    const { hostname: host, port } = new URL(url);
    const other = connect({ host, port: Number(port) });
    this.#sockets.add(socket);
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      from.on('error', () => undefined);
      from.pipe(to);
      from.once('close', () => to.destroy());
    }
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #look(): Promise<void> {
    const looks = await Promise.all(this.#urls.map(async (url) => ({ url, isReady: await isReady(url) })));
    this.#ready = looks.filter((look) => look.isReady).map(({ url }) => url);
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(LOOK_MS) }).catch(() => undefined);
  return answer?.status === 200;
}
