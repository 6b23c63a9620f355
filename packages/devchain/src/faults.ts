// Switches that make the chain misbehave on purpose; they last until changed or until the process ends.
import { invalidParams } from './rpc/rpc-error.ts';

export interface FaultSettings {
  /** `down`: the node appears unreachable. `slow`: every answer is delayed by `slowMs`. */
  chain: 'up' | 'down' | 'slow';
  slowMs: number;
  /** `held`: blocks are mined only on request, so transactions stay pending. */
  mining: 'auto' | 'held';
  /** How many of the next eth_sendRawTransaction requests are accepted without an answer. */
  loseAnswers: number;
}

const MAX_SLOW_MS = 600_000;

export class Faults {
  #settings: FaultSettings = { chain: 'up', slowMs: 2_000, mining: 'auto', loseAnswers: 0 };

  get settings(): Readonly<FaultSettings> {
    return this.#settings;
  }

  get isDown(): boolean {
    return this.#settings.chain === 'down';
  }

  get delayMs(): number {
    return this.#settings.chain === 'slow' ? this.#settings.slowMs : 0;
  }

  change(input: unknown): Readonly<FaultSettings> {
    this.#settings = { ...this.#settings, ...parseFaults(input) };
    return this.#settings;
  }

  /** Whether the next answer must be lost; each loss is counted down. */
  takeLostAnswer(): boolean {
    if (this.#settings.loseAnswers === 0) return false;
    this.#settings = { ...this.#settings, loseAnswers: this.#settings.loseAnswers - 1 };
    return true;
  }
}

function parseFaults(input: unknown): Partial<FaultSettings> {
  if (typeof input !== 'object' || input === null) throw invalidParams('presage_faults takes one object');
  const changes: Partial<FaultSettings> = {};
  for (const [name, value] of Object.entries(input)) {
    if (name === 'chain' && (value === 'up' || value === 'down' || value === 'slow')) changes.chain = value;
    else if (name === 'slowMs' && isCount(value, MAX_SLOW_MS)) changes.slowMs = value;
    else if (name === 'mining' && (value === 'auto' || value === 'held')) changes.mining = value;
    else if (name === 'loseAnswers' && isCount(value, 1_000)) changes.loseAnswers = value;
    else throw invalidParams(`unknown fault or value: ${name} = ${JSON.stringify(value)}`);
  }
  return changes;
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;
}
