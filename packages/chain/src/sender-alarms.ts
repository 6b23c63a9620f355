// The things a sender can meet that an operator must hear of, each told once per nonce.

export interface SenderAlarm {
  readonly type:
    | 'deep-reorg'
    | 'foreign-transaction'
    | 'nonce-gap'
    | 'unfunded'
    | 'refused'
    | 'fee-cap'
    | 'unsigned'
    | 'hopeless'
    | 'halted';
  readonly nonce: number | null;
  readonly operationId: string | null;
  readonly detail: string;
}

/** More than a sender can have in flight, so nothing current is forgotten. */
const REMEMBERED = 10_000;

export class Alarms {
  readonly #ring: (alarm: SenderAlarm) => void;
  readonly #rung = new Set<string>();

  constructor(ring: (alarm: SenderAlarm) => void) {
    this.#ring = ring;
  }

  ring(alarm: SenderAlarm): void {
    const key = `${alarm.type}:${alarm.nonce}:${alarm.operationId}`;
    if (this.#rung.has(key)) return;
    if (this.#rung.size >= REMEMBERED) this.#rung.clear();
    this.#rung.add(key);
    this.#ring(alarm);
  }
}
