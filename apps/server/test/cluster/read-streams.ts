// Reads beside the orders: lists at one gateway right after a write at another, and what only the settler answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outages } from './outages.ts';

export interface ReadStreamsOptions {
  readonly outages: Outages;
  /** The gateways, all of which are read. */
  readonly urls: readonly string[];
  /** Where the settler's answers are asked for. */
  readonly settlerUrl: string;
  /** A list of the view. */
  readonly path: string;
  /** The newest `Presage-Position` that an answer to a write had. */
  readonly position: () => string | undefined;
  readonly periodMs: number;
}

export class ReadStreams {
  /** Lists that were read, and those of them that were answered with `view_behind`. */
  lists = 0;
  behind = 0;
  readonly #options: ReadStreamsOptions;
  #isStopped = false;

  constructor(options: ReadStreamsOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#repeat('settler', () => this.#askSettler()),
      this.#repeat('lists', () => this.#readList()),
    ]);
  }

  /** Reads go on while one of them waits, and one that fails is repeated. */
  async #repeat(name: string, ask: () => Promise<boolean>): Promise<void> {
    const { outages, periodMs } = this.#options;
    while (!this.#isStopped) {
      const answered = outages.begin(name);
      while (!(await ask())) await sleep(20);
      answered();
      await sleep(periodMs);
    }
  }

  async #askSettler(): Promise<boolean> {
    const url = `${this.#options.settlerUrl}/api/v1/journal/anchors`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.status === 200;
  }

  async #readList(): Promise<boolean> {
    const { urls, path, position, outages } = this.#options;
    const asked = position();
    const headers: Record<string, string> = asked === undefined ? {} : { 'presage-position': asked };
    const url = urls[this.lists++ % urls.length]!;
    const answer = await fetch(url + path, { headers, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer === undefined || text === undefined) this.lists--;
    else if (answer.status !== 200) outages.note(`list ${answer.status} ${/"code":"(\w+)"/.exec(text)?.[1]}`);
    if (text?.includes('"view_behind"')) this.behind++;
    return answer?.status === 200;
  }
}
