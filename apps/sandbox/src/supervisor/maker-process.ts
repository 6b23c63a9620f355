// The demo maker as a child process that starts and stops when the service asks for it, one change after another.
import { fileURLToPath } from 'node:url';
import { SerialQueue } from '@presage/runtime';
import { Child, type ChildMessage } from './child.ts';
import { KeptProcess, type KeptProcessHooks } from './kept-process.ts';

const MAKER_MAIN = fileURLToPath(new URL('../maker/main.ts', import.meta.url));
/** Time to end: the maker cancels its quotes first. */
const TIMEOUT_MS = 5_000;

export class MakerProcess {
  readonly #hooks: KeptProcessHooks;
  readonly #changes = new SerialQueue();
  #process: KeptProcess<ChildMessage> | undefined;

  constructor(hooks: KeptProcessHooks) {
    this.#hooks = hooks;
  }

  /** Starts or stops the maker. A maker that fails is reported; the exchange continues without it. */
  set(running: boolean, url: string): void {
    this.#change(() => (running ? this.#start(url) : this.#stop()));
  }

  async stop(): Promise<void> {
    this.#change(() => this.#stop());
    await this.#changes.idle();
  }

  kill(): void {
    this.#process?.kill();
  }

  #change(work: () => Promise<void>): void {
    void this.#changes.run(work).catch((error: Error) => this.#hooks.onNotice(error.message));
  }

  async #start(url: string): Promise<void> {
    if (this.#process !== undefined) return;
    const { onProgress: _none, ...hooks } = this.#hooks;
    const maker = new KeptProcess<ChildMessage>({
      ...hooks,
      name: 'demo maker',
      onProgress: () => undefined,
      start: (_previous, reporter) =>
        new Child({
          script: MAKER_MAIN,
          ...reporter,
          environment: { ...process.env, PRESAGE_URL: url, PRESAGE_PARENT_PID: String(process.pid) },
        }),
    });
    this.#process = maker;
    await maker.open();
  }

  async #stop(): Promise<void> {
    const maker = this.#process;
    this.#process = undefined;
    await maker?.stop(TIMEOUT_MS);
  }
}
