// Which tokens were used: each is valid once, and removed when it would have expired anyway.
import { type JournalRecord, LIMITS } from '@presage/protocol';

export class UsedTokens {
  /** By the second in which they may be removed, so that removal costs nothing per token. */
  readonly #bySecond = new Map<number, Set<string>>();
  readonly #used = new Set<string>();

  get size(): number {
    return this.#used.size;
  }

  follow(record: JournalRecord): void {
    if (record.type === 'token-used') this.take(record.keyId, record.nonce, record.issuedAt);
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
