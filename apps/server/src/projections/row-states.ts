// Rows of a table that a transaction of the view touches: those it loads and those it creates.
import type { BulkTransaction } from './bulk-transaction.ts';
import { ViewFault } from './view-model.ts';

export interface RowSource<Key, State> {
  /** Name of a row in errors. */
  readonly what: string;
  keyOf(state: State): Key;
  loadByKey(sql: BulkTransaction, keys: readonly Key[]): Promise<State[]>;
  loadBySeq(sql: BulkTransaction, seqs: readonly number[]): Promise<State[]>;
}

export class RowStates<Key, State extends { readonly seq: number }> {
  readonly #source: RowSource<Key, State>;
  readonly #wantedKeys = new Set<Key>();
  readonly #wantedSeqs = new Set<number>();
  /** Undefined for a row that this transaction will create. */
  readonly #byKey = new Map<Key, State | undefined>();
  /** Rows that existed before this transaction. */
  readonly #bySeq = new Map<number, State>();
  /** Created rows, by sequence. */
  readonly #created: State[] = [];
  /** Whether the rows were loaded beside the previous transaction, which may not be in the database yet. */
  readonly #isOverlapped: boolean;
  /** Rows of the previous transaction. */
  #previous: RowStates<Key, State> | undefined;

  constructor(source: RowSource<Key, State>, previous?: RowStates<Key, State>) {
    this.#source = source;
    this.#previous = previous;
    this.#isOverlapped = previous !== undefined;
  }

  /** Marks a row that this transaction creates, which need not be loaded. */
  expect(key: Key): void {
    this.#byKey.set(key, undefined);
  }

  want(key: Key): void {
    if (!this.#byKey.has(key)) this.#wantedKeys.add(key);
  }

  wantSeq(seq: number): void {
    this.#wantedSeqs.add(seq);
  }

  async load(sql: BulkTransaction): Promise<void> {
    this.#takeOver();
    const found = await Promise.all([
      this.#source.loadByKey(sql, [...this.#wantedKeys]),
      this.#source.loadBySeq(sql, [...this.#wantedSeqs]),
    ]);
    // Both statements may find a row: it must stay one object.
    for (const state of found.flat()) if (!this.#bySeq.has(state.seq)) this.#keep(state);
  }

  /** Rows that existed before this transaction. */
  get loaded(): Iterable<State> {
    return this.#bySeq.values();
  }

  /** Rows of which the previous transaction may have changed in the database what is computed there, whether it touched them or not. */
  get outdated(): Iterable<State> {
    return this.#isOverlapped ? this.loaded : [];
  }

  /** Rows created so far, in order. */
  get created(): readonly State[] {
    return this.#created;
  }

  /** Whether this transaction creates the row; all other rows are of earlier records. */
  isCreated({ seq }: State): boolean {
    const [first] = this.#created;
    return first !== undefined && seq >= first.seq;
  }

  /** Adds a row of a later record than all before it. */
  create(state: State): void {
    this.#byKey.set(this.#source.keyOf(state), state);
    this.#created.push(state);
  }

  find(key: Key): State {
    return this.#found(this.#byKey.get(key), key);
  }

  findSeq(seq: number): State {
    return this.#found(this.#at(seq), seq);
  }

  #keep(state: State): void {
    this.#byKey.set(this.#source.keyOf(state), state);
    this.#bySeq.set(state.seq, state);
  }

  #at(seq: number): State | undefined {
    const known = this.#bySeq.get(seq);
    if (known !== undefined) return known;
    let [low, high] = [0, this.#created.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#created[middle]!.seq < seq) low = middle + 1;
      else high = middle;
    }
    const created = this.#created[low];
    return created?.seq === seq ? created : undefined;
  }

  #found(state: State | undefined, name: unknown): State {
    if (state === undefined) throw new ViewFault(`${this.#source.what} ${name} is in no earlier record`);
    return state;
  }

  /** Copies, because the previous transaction may not have written its own states yet. */
  #takeOver(): void {
    const previous = this.#previous;
    this.#previous = undefined;
    if (previous === undefined) return;
    const known = new Set([
      ...[...this.#wantedKeys].map((key) => previous.#byKey.get(key)),
      ...[...this.#wantedSeqs].map((seq) => previous.#at(seq)),
    ]);
    for (const state of known) {
      if (state === undefined) continue;
      this.#wantedKeys.delete(this.#source.keyOf(state));
      this.#wantedSeqs.delete(state.seq);
      this.#keep({ ...state });
    }
  }
}
