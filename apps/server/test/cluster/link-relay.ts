// Stands before a node's port for other nodes, and can cut, silence or delay what goes through.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@presage/runtime/node';

type Way = 'open' | 'cut' | 'silent';

export class LinkRelay {
  readonly targetPort: number;
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Bytes so far, both ways: a relay that nobody calls would break nothing. */
  carried = 0;
  #way: Way = 'open';
  #delayMs = 0;

  private constructor(port: number, targetPort: number) {
    this.port = port;
    this.targetPort = targetPort;
    this.#server = createServer((socket) => this.#pass(socket));
  }

  static async open(targetPort: number): Promise<LinkRelay> {
    const relay = new LinkRelay(await findFreePort(), targetPort);
    await new Promise<void>((resolve, reject) => {
      relay.#server.once('error', reject);
      relay.#server.listen(relay.port, '127.0.0.1', resolve);
    });
    return relay;
  }

  /** Connections end, and none stands until it is mended. */
  cut(): void {
    this.#way = 'cut';
    this.#destroyAll();
  }

  /** As where a machine vanished: connections stand, and what is said is never heard. */
  silence(): void {
    this.#way = 'silent';
  }

  /** Both ways, so an answer takes twice as long. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  mend(): void {
    // What was never heard would leave a gap in the middle of a message.
    if (this.#way === 'silent') this.#destroyAll();
    this.#way = 'open';
    this.#delayMs = 0;
  }

  async close(): Promise<void> {
    this.#destroyAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(caller: Socket): void {
    if (this.#way === 'cut') return void caller.destroy();
    const target = connect({ host: '127.0.0.1', port: this.targetPort });
    this.#carry(caller, target);
    this.#carry(target, caller);
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    let last = Promise.resolve();
    from.on('error', () => undefined);
    from.on('data', (bytes: Buffer) => {
      if (this.#way === 'silent') return;
      const dueMs = performance.now() + this.#delayMs;
      // One after the other, also when the delay ends between two.
      last = last.then(async () => {
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        if (to.destroyed) return;
        to.write(bytes);
        this.carried += bytes.length;
      });
    });
    from.once('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
