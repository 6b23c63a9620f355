// Durable state of webhooks: delivered position of each topic, pending alarms, and dead letters.
import { parseJson, stringifyJson } from '@presage/protocol';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import type { WebhookEvent } from './webhook-events.ts';

export interface DeadLetter extends WebhookEvent {
  readonly reason: string;
  /** Unix milliseconds. */
  readonly givenUpMs: number;
}

interface WebhookState {
  /** Next sequence to process, by topic and partition. */
  readonly positions: Record<string, number>;
  /** Raised alarms as last reported. */
  raised: readonly string[];
  alarmSeq: number;
  alarms: readonly WebhookEvent[];
  dead: readonly DeadLetter[];
}

/** Interval of writes. Positions are not written one by one: an event that is delivered twice has the same id. */
const WRITE_EVERY_MS = 250;

export class WebhookStore {
  readonly state: WebhookState;
  readonly #path: string;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, state: WebhookState, onFailure: (error: unknown) => void) {
    this.#path = path;
    this.state = state;
    this.#onFailure = onFailure;
  }

  static async open(path: string, onFailure: (error: unknown) => void): Promise<WebhookStore> {
    const text = (await readFileIfPresent(path))?.toString();
    const empty: WebhookState = { positions: {}, raised: [], alarmSeq: 0, alarms: [], dead: [] };
    // Trusted, because only this class writes the file, and atomically.
    const kept = text === undefined ? {} : (parseJson(text) as Partial<WebhookState>);
    return new WebhookStore(path, { ...empty, ...kept }, onFailure);
  }

  /** Schedules a write. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.write().catch(this.#onFailure);
    }, WRITE_EVERY_MS);
  }

  /** Writes the current state; resolves when it is durable. */
  write(): Promise<void> {
    const written = this.#writing.then(() => writeFileAtomically(this.#path, stringifyJson(this.state)));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.write().catch(this.#onFailure);
  }
}
