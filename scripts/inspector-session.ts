// A debugger connection to a running Node process and its worker threads, limited to call coverage.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { sessionId: string; message: string };
  readonly result?: unknown;
  readonly error?: { message: string };
}

const PRECISE = { callCount: true, detailed: false };

export class InspectorSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #workers = new Set<string>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#accept(JSON.parse(String(data))));
  }

  /** SIGUSR1 makes Node listen for debuggers, at the port in its options. */
  static async openByPid(pid: number, port: number): Promise<InspectorSession> {
    process.kill(pid, 'SIGUSR1');
    const socket = new WebSocket(await debuggerUrl(port));
    await once(socket, 'open');
    const session = new InspectorSession(socket);
    await session.#start();
    return session;
  }

  /** Functions called since the last time, in all threads. */
  async takeCoverage<T>(): Promise<T[]> {
    const threads = [undefined, ...this.#workers];
    const answers = await Promise.all(threads.map((thread) => this.#ask('Profiler.takePreciseCoverage', {}, thread)));
    // The result type of this method.
    return answers.flatMap((answer) => (answer as { result: T[] }).result);
  }

  close(): void {
    this.#socket.terminate();
  }

  async #start(): Promise<void> {
    await this.#ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    // Running threads are announced right after the answer.
    await sleep(200);
    for (const thread of [undefined, ...this.#workers]) {
      await this.#ask('Profiler.enable', {}, thread);
      await this.#ask('Profiler.startPreciseCoverage', PRECISE, thread);
    }
  }

  #ask(method: string, params: Params, worker?: string): Promise<unknown> {
    const id = ++this.#lastId;
    const message = { id, method, params };
    const outer =
      worker === undefined
        ? message
        : {
            id: ++this.#lastId,
            method: 'NodeWorker.sendMessageToWorker',
            params: { sessionId: worker, message: JSON.stringify(message) },
          };
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
    });
    this.#socket.send(JSON.stringify(outer));
    return answered;
  }

  #accept({ id, method, params, ...rest }: Message): void {
    if (method === 'NodeWorker.attachedToWorker') this.#workers.add(params!.sessionId);
    else if (method === 'NodeWorker.detachedFromWorker') this.#workers.delete(params!.sessionId);
    else if (method === 'NodeWorker.receivedMessageFromWorker') this.#accept(JSON.parse(params!.message));
    else if (id !== undefined) {
      this.#waiting.get(id)?.({ id, ...rest });
      this.#waiting.delete(id);
    }
  }
}

async function debuggerUrl(port: number): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}/json`).catch(() => undefined);
    if (answer !== undefined)
      // Node's inspector lists its debuggable targets.
      return ((await answer.json()) as { webSocketDebuggerUrl: string }[])[0]!.webSocketDebuggerUrl;
    await sleep(50);
  }
  throw new Error(`nothing listens for a debugger at port ${port}`);
}
