// Whether the demo maker should run: journalled, and passed on to the supervisor, which alone starts and stops processes.
import type { JournalRecord, MakerSet } from '@presage/protocol';

export interface MakerSwitchOptions {
  /** Default until the switch is set. */
  readonly isOnAtFirst: boolean;
  readonly nowMs: () => number;
  readonly journal: (record: MakerSet) => Promise<void>;
  readonly onSet: (running: boolean) => void;
}

export class MakerSwitch {
  readonly #options: MakerSwitchOptions;
  #running: boolean;

  constructor(options: MakerSwitchOptions) {
    this.#options = options;
    this.#running = options.isOnAtFirst;
  }

  follow(record: JournalRecord): void {
    if (record.type === 'maker-set') this.#running = record.running;
  }

  /** Called once the service is reachable: starts the maker again after a restart. */
  start(): void {
    if (this.#running) this.#options.onSet(true);
  }

  async set(running: boolean): Promise<boolean> {
    await this.#options.journal({ type: 'maker-set', timeMs: this.#options.nowMs(), running });
    this.#options.onSet(running);
    return running;
  }
}
