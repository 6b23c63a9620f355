// Who listens to what, beside markets: wallets and assets, each with the connections that asked for it.
import type { Outbox } from './outbox.ts';
import type { SharedMessage } from './shared-message.ts';

export class Topics {
  readonly #readers = new Map<string, Set<Outbox>>();

  get size(): number {
    return this.#readers.size;
  }

  has(topic: string): boolean {
    return this.#readers.has(topic);
  }

  add(topic: string, reader: Outbox): void {
    const readers = this.#readers.get(topic) ?? new Set();
    readers.add(reader);
    this.#readers.set(topic, readers);
  }

  remove(topic: string, reader: Outbox): void {
    const readers = this.#readers.get(topic);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(topic);
  }

  send(topic: string, message: SharedMessage): void {
    for (const reader of this.#readers.get(topic) ?? []) reader.send(message);
  }
}
