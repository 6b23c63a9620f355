// What must survive a restart: how far each topic was delivered, alarms that wait, and events that were given up.
import { parseJson, stringifyJson } from '@presage/protocol';
import { readFileIfPresent, writeFileAtomically } from '@presage/runtime/node';
import type { WebhookEvent } from './webhook-events.ts';

export interface DeadLetter extends WebhookEvent {
  readonly reason: string;
  /** Unix milliseconds. */
  readonly givenUpMs: number;
}

interface WebhookState {
  /** The next sequence to look at, by topic and partition. */
  readonly positions: Record<string, number>;
  /** Alarms that are raised, as last told. */
  raised: readonly string[];
  alarmSeq: number;
  alarms: readonly WebhookEvent[];
  dead: readonly DeadLetter[];
}

/** Positions need no write each: an event that is delivered twice has the same id. */
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
    // Written by this class alone, whole or not at all.
    const kept = text === undefined ? {} : (parseJson(text) as Partial<WebhookState>);
    return new WebhookStore(path, { ...empty, ...kept }, onFailure);
  }

  /** Writes soon. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.write().catch(this.#onFailure);
    }, WRITE_EVERY_MS);
  }

  /** Resolves when the state as it is now is durable. */
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
