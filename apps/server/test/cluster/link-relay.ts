// Stands before a node's port for other nodes, and can cut, silence or delay what goes through.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const THREAD = new URL('link-relay-thread.mjs', import.meta.url);

export class LinkRelay {
  readonly targetPort: number;
  readonly port: number;
  readonly #thread: Worker;
  readonly #carried: BigInt64Array;

  private constructor(ports: Pick<LinkRelay, 'port' | 'targetPort'>, thread: Worker, carried: BigInt64Array) {
    this.port = ports.port;
    this.targetPort = ports.targetPort;
    this.#thread = thread;
    this.#carried = carried;
  }

  static async open(targetPort: number): Promise<LinkRelay> {
    const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
    const thread = new Worker(THREAD, { workerData: { targetPort, shared } });
    const [port] = (await once(thread, 'message')) as [number];
    return new LinkRelay({ port, targetPort }, thread, new BigInt64Array(shared));
  }

  /** Bytes so far, both ways: a relay that nobody calls would break nothing. */
  get carried(): number {
    return Number(Atomics.load(this.#carried, 0));
  }

  /** Connections end, and none stands until it is mended. */
  cut(): void {
    this.#thread.postMessage({ order: 'cut' });
  }

  /** As where a machine vanished: connections stand, and what is said is never heard. */
  silence(): void {
    this.#thread.postMessage({ order: 'silence' });
  }

  /** Both ways, so an answer takes twice as long. */
  delay(ms: number): void {
    this.#thread.postMessage({ order: 'delay', value: ms });
  }

  mend(): void {
    this.#thread.postMessage({ order: 'mend' });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
