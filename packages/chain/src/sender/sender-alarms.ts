// Alarms of a sender for the operator, each raised once per nonce.

export interface SenderAlarm {
  readonly type:
    | 'deep-reorg'
    | 'foreign-transaction'
    | 'nonce-gap'
    | 'stuck-nonce'
    | 'unfunded'
    | 'refused'
    | 'fee-cap'
    | 'unsigned'
    | 'given-up'
    | 'replaced-key'
    | 'halted';
  readonly nonce: number | null;
  readonly operationId: string | null;
  readonly detail: string;
}

/** More than a sender can have in flight, so no current nonce is evicted. */
const REMEMBERED = 10_000;

export class Alarms {
  readonly #report: (alarm: SenderAlarm) => void;
  readonly #raised = new Set<string>();

  constructor(report: (alarm: SenderAlarm) => void) {
    this.#report = report;
  }

  raise(alarm: SenderAlarm): void {
    const key = `${alarm.type}:${alarm.nonce}:${alarm.operationId}`;
    if (this.#raised.has(key)) return;
    if (this.#raised.size >= REMEMBERED) this.#raised.clear();
    this.#raised.add(key);
    this.#report(alarm);
  }
}
