// Which bearer tokens were used: each is valid once, and is forgotten when it would have expired anyway.
import { PresageError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { JournalRecord } from '../records/journal-records.ts';

/** A node that follows the uses of others checks no token itself: it drops expired ones when it has this many. */
const PRUNE_ABOVE = 100_000;

export class UsedTokens {
  /** Grouped by the second in which they may be dropped, so that dropping costs nothing per token. */
  readonly #bySecond = new Map<number, Set<string>>();
  readonly #used = new Set<string>();

  get size(): number {
    return this.#used.size;
  }

  /** A record of the control partition became durable. A token that was accepted here is known already. */
  follow(record: JournalRecord): void {
    if (record.type !== 'token-used') return;
    this.take(record.keyId, record.nonce, record.issuedAt);
    if (this.#used.size > PRUNE_ABOVE) this.prune(Math.floor(record.timeMs / 1_000));
  }

  /** Throws if the record uses a token again. The token is taken before the record is durable, so that of two at once one passes. */
  accept(record: JournalRecord): void {
    if (record.type !== 'token-used') return;
    if (!this.take(record.keyId, record.nonce, record.issuedAt)) throw new PresageError('token_already_used');
  }

  /** False when it was used before. */
  take(keyId: string, nonce: string, issuedAt: number): boolean {
    const token = `${keyId} ${nonce}`;
    if (this.#used.has(token)) return false;
    this.#used.add(token);
    const second = issuedAt + LIMITS.tokenMemorySeconds;
    const group = this.#bySecond.get(second) ?? new Set();
    this.#bySecond.set(second, group.add(token));
    return true;
  }

  prune(nowSeconds: number): void {
    for (const [second, tokens] of this.#bySecond) {
      if (second >= nowSeconds) continue;
      for (const token of tokens) this.#used.delete(token);
      this.#bySecond.delete(second);
    }
  }
}
