// Finishes acts that were recorded but not carried out, because of a kill, a settler that lost its chain, or a slow or unreachable chain.
import type { Log } from '../log/log.ts';

export interface UnfinishedAct {
  /** Chain whose settler finishes it; undefined if every settler may. */
  readonly chainId?: number;
  /** Fields that identify the act in the log. */
  readonly subject: Readonly<Record<string, string>>;
  /** Finishes the act; does nothing if it was finished meanwhile. */
  readonly finish: () => Promise<void>;
}

export interface ActSource {
  unfinished(): readonly UnfinishedAct[];
}

export interface UnfinishedActsOptions {
  readonly sources: readonly ActSource[];
  /** Whether this node acts on the chain, or on any chain if none is given. */
  readonly isActor: (chainId?: number) => boolean;
  readonly log: Pick<Log, 'warn'>;
}

const LOOK_EVERY_MS = 5_000;

export class UnfinishedActs {
  readonly #options: UnfinishedActsOptions;
  /** Rounds in progress by source; separate, so that a source whose chain does not answer delays no other. */
  readonly #underWay = new Map<ActSource, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UnfinishedActsOptions) {
    this.#options = options;
  }

  /** Starts; the first round runs at once, to leave little time between a kill and its repair. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.look();
  }

  /** Stops; waits only for acts in progress, since on an unreachable chain each takes seconds to fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.idle();
  }

  /** Tries each unfinished act once; skips sources whose previous round still runs. */
  look(): void {
    for (const source of this.#options.sources) {
      if (this.#underWay.has(source)) continue;
      const done = this.#finish(source).finally(() => this.#underWay.delete(source));
      this.#underWay.set(source, done);
    }
  }

  /** Resolves when all rounds so far have ended. */
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
