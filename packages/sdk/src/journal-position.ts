// How far the journal was when this client last wrote: sent along with what it asks next, any node of the service then shows no less.

export const POSITION_HEADER = 'presage-position';

export class JournalPosition {
  readonly #partitions = new Map<string, number>();

  /** Learns the position from an answer; a service of one node sends none. */
  learn(text: string | null): void {
    for (const entry of text?.split(';') ?? []) {
      const [partition = '', seq] = entry.split('=');
      const known = this.#partitions.get(partition) ?? 0;
      if (Number.isSafeInteger(Number(seq))) this.#partitions.set(partition, Math.max(known, Number(seq)));
    }
  }

  header(): Record<string, string> {
    if (this.#partitions.size === 0) return {};
    return { [POSITION_HEADER]: [...this.#partitions].map(([partition, seq]) => `${partition}=${seq}`).join(';') };
  }
}
