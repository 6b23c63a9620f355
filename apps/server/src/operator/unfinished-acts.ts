// Finishes acts that were recorded and not carried out: a kill, a settler that lost its chain, or a slow or unreachable chain may have left them behind.
import type { Log } from '../log/log.ts';

export interface UnfinishedAct {
  /** Chain whose settler finishes it; undefined if every settler may. */
  readonly chainId?: number;
  /** What the log says of it. */
  readonly subject: Readonly<Record<string, string>>;
  /** Does nothing if it was finished meanwhile. */
  readonly finish: () => Promise<void>;
}

export interface ActSource {
  unfinished(): readonly UnfinishedAct[];
}

export interface UnfinishedActsOptions {
  readonly sources: readonly ActSource[];
  /** Whether this node acts on the chain; without one, whether it acts on any. */
  readonly isActor: (chainId?: number) => boolean;
  readonly log: Pick<Log, 'warn'>;
}

const LOOK_EVERY_MS = 5_000;

export class UnfinishedActs {
  readonly #options: UnfinishedActsOptions;
  /** Each source by itself: one whose chain does not answer keeps no other waiting. */
  readonly #underWay = new Map<ActSource, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UnfinishedActsOptions) {
    this.#options = options;
  }

  /** Looks at once, so that little comes in between after a kill. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.look();
  }

  /** Waits for what is under way only: on an unreachable chain each act takes seconds to fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.idle();
  }

  /** Tries each unfinished act once, unless an earlier look still does. */
  look(): void {
    for (const source of this.#options.sources) {
      if (this.#underWay.has(source)) continue;
      const done = this.#finish(source).finally(() => this.#underWay.delete(source));
      this.#underWay.set(source, done);
    }
  }

  /** Resolves when the looks so far have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #finish(source: ActSource): Promise<void> {
    const { isActor, log } = this.#options;
    for (const { chainId, subject, finish } of source.unfinished()) {
      if (this.#isClosed) return;
      if (!isActor(chainId)) continue;
      await finish().catch((error: unknown) => {
        log.warn({ ...subject, error: String(error) }, 'recorded act could not be finished; retrying');
      });
    }
  }
}
