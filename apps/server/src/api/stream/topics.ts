// Topics other than markets (wallets, events, assets), each with its subscribed connections.
import type { Outbox } from './outbox.ts';
import type { SharedMessage } from './shared-message.ts';

interface Topic {
  readonly readers: Set<Outbox>;
  /** Number of messages sent; starts over after the last reader has left. */
  seq: number;
}

export class Topics {
  readonly #topics = new Map<string, Topic>();

  get size(): number {
    return this.#topics.size;
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Sequence of the topic's last message; 0 before the first. */
  seqOf(topic: string): number {
    return this.#topics.get(topic)?.seq ?? 0;
  }

  add(topic: string, reader: Outbox): void {
    const known = this.#topics.get(topic) ?? { readers: new Set(), seq: 0 };
    known.readers.add(reader);
    this.#topics.set(topic, known);
  }

  remove(topic: string, reader: Outbox): void {
    const known = this.#topics.get(topic);
    known?.readers.delete(reader);
    if (known?.readers.size === 0) this.#topics.delete(topic);
  }

  /** Sends the message that `write` makes for its sequence; nothing if the topic has no readers. */
  send(topic: string, write: (channelSeq: number) => SharedMessage): void {
    const known = this.#topics.get(topic);
    if (known === undefined) return;
    known.seq += 1;
    const message = write(known.seq);
    for (const reader of known.readers) reader.send(message);
  }
}
