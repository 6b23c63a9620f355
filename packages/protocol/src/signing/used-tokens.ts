// Used bearer tokens: each is valid once, and is forgotten when it has expired anyway.
import { PresageError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { JournalRecord } from '../records/journal-records.ts';

/**
 * Size above which expired tokens are dropped on a node that only follows the uses of others and checks no token
 * itself.
 */
const PRUNE_ABOVE = 100_000;

export class UsedTokens {
  /** Grouped by the second of their expiry, so that pruning costs nothing per token. */
  readonly #bySecond = new Map<number, Set<string>>();
  readonly #used = new Set<string>();

  get size(): number {
    return this.#used.size;
  }

  /** Applies a durable record of the control partition. A token that was accepted here is known already. */
  follow(record: JournalRecord): void {
    if (record.type !== 'token-used') return;
    this.take(record.keyId, record.nonce, record.issuedAt);
    if (this.#used.size > PRUNE_ABOVE) this.prune(Math.floor(record.timeMs / 1_000));
  }

  /**
   * Throws if the record uses a token again. The token is taken before the record is durable, so that only one of two
   * concurrent uses passes.
   */
  accept(record: JournalRecord): void {
    if (record.type !== 'token-used') return;
    if (!this.take(record.keyId, record.nonce, record.issuedAt)) throw new PresageError('token_already_used');
  }

  /** Returns false if the token was used before. */
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
