// Folds the control partition into the fewest of its records that have the same effect as all of them.
import { decodeRecord, encodeRecord, isForgotten, type JournalRecord, LIMITS, type RecordOf } from '@presage/protocol';
import { effectsOf } from './operator-effects.ts';
import type { RecordFold } from './partition-state.ts';

/** Windows are resolved with prices up to a day old; twice that is always enough. */
const PINS_KEPT_SECONDS = 172_800;

export class ControlState implements RecordFold {
  /** Records of types of which only the newest counts. */
  readonly #newest = new Map<JournalRecord['type'], JournalRecord>();
  readonly #keys = new Map<string, JournalRecord[]>();
  readonly #armed = new Map<string, JournalRecord>();
  /** Operators' settings in effect, in the order in which they were set. */
  readonly #operator = new Map<string, RecordOf<'operator-acted'>>();
  readonly #pins = new Map<string, RecordOf<'price-pinned'>[]>();
  #tokens: RecordOf<'token-used'>[] = [];
  #tokensKept = 0;

  apply(record: JournalRecord): void {
    switch (record.type) {
      case 'clock-offset-set':
      case 'maker-set':
      case 'partitions-set':
        this.#newest.set(record.type, record);
        break;
      case 'api-key-registered':
        this.#keys.set(record.keyId, [record]);
        break;
      case 'api-key-revoked':
        this.#keys.get(record.keyId)?.splice(1, 1, record);
        break;
      case 'heartbeat-set':
        this.#setSwitch(record);
        break;
      case 'token-used':
        this.#useToken(record);
        break;
      case 'operator-acted':
        this.#act(record);
        break;
      case 'price-pinned':
        this.#pin(record);
    }
  }

  /** Number of partitions that the markets are spread over; 1 if no record says otherwise. */
  get partitionCount(): number {
    const set = this.#newest.get('partitions-set');
    return set?.type === 'partitions-set' ? set.count : 1;
  }

  /** Records that bring a follower to the same state as all records would. */
  records(): JournalRecord[] {
    return [
      ...[...this.#newest.values()].sort((a, b) => (a.type < b.type ? -1 : 1)),
      ...[...this.#keys.values()].flat(),
      ...this.#armed.values(),
      // A record may set several things, so it appears under several slots; it is kept while one of them counts.
      ...new Set(this.#operator.values()),
      ...[...this.#pins.values()].flat(),
      ...this.#freshTokens(),
    ];
  }

  lines(): Iterable<string> {
    return toLines(this.records());
  }

  restore(lines: readonly string[]): void {
    const utf8 = new TextEncoder();
    for (const line of lines) this.apply(decodeRecord(utf8.encode(line)));
  }

  #act(record: RecordOf<'operator-acted'>): void {
    for (const { slot, isUndone } of effectsOf(record)) {
      this.#operator.delete(slot);
      if (!isUndone) this.#operator.set(slot, record);
    }
    for (const [slot, { action }] of this.#operator) {
      if (action.kind === 'request-approval' && isForgotten(action, record.timeMs)) this.#operator.delete(slot);
    }
  }

  #setSwitch(record: RecordOf<'heartbeat-set'>): void {
    this.#armed.delete(record.trader);
    if (record.lapseMs !== 0) this.#armed.set(record.trader, record);
  }

  /** Removes old tokens when the list has doubled, so that the cost of a token does not grow with their number. */
  #useToken(record: RecordOf<'token-used'>): void {
    this.#tokens.push(record);
    if (this.#tokens.length <= 2 * this.#tokensKept + 1_000) return;
    this.#tokens = this.#freshTokens();
    this.#tokensKept = this.#tokens.length;
  }

  /** Tokens that are not too old to be accepted anyway. Uses wall time, like everything about tokens. */
  #freshTokens(): RecordOf<'token-used'>[] {
    const newestMs = this.#tokens.at(-1)?.timeMs ?? 0;
    return this.#tokens.filter(({ issuedAt }) => (issuedAt + LIMITS.tokenMemorySeconds) * 1_000 >= newestMs);
  }

  /** Keeps the newest of the pins that are too old, since it holds until the next one. */
  #pin(record: RecordOf<'price-pinned'>): void {
    const pins = [...(this.#pins.get(record.asset) ?? []), record];
    const firstKept = pins.findLastIndex(({ from }) => from <= record.from - PINS_KEPT_SECONDS);
    this.#pins.set(record.asset, pins.slice(Math.max(0, firstKept)));
  }
}

/** Encodes each record when its line is read. */
function* toLines(records: readonly JournalRecord[]): Generator<string> {
  for (const record of records) yield new TextDecoder().decode(encodeRecord(record));
}
