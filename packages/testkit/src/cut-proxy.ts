// A TCP proxy that can cut all its connections and then forward to another service.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { portOf } from '@presage/runtime/node';

export class CutProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((inside) => this.#join(inside));
  }

  static async open(targetUrl: string): Promise<CutProxy> {
    const proxy = new CutProxy(Number(new URL(targetUrl).port));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  get connections(): number {
    return this.#sockets.size / 2;
  }

  pointAt(targetUrl: string): void {
    this.#target = Number(new URL(targetUrl).port);
  }

  /** Cuts like a pulled cable: without a close frame. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(inside: Socket): void {
    const outside = connect(this.#target, '127.0.0.1');
    for (const [socket, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
