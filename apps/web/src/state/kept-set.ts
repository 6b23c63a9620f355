// A set of texts, stored in this browser and shared by its tabs.
import { keep, recall } from './kept.ts';
import { Store } from './store.ts';

export class KeptSet {
  readonly store: Store<ReadonlySet<string>>;
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
    this.store = new Store(this.#read());
    addEventListener('storage', (event) => {
      if (event.key === key) this.store.set(this.#read());
    });
  }

  toggle(text: string): void {
    // Reads the set first, since another tab may have changed it.
    const next = new Set(this.#read());
    if (!next.delete(text)) next.add(text);
    this.store.set(next);
    keep(this.#key, [...next]);
  }

  #read(): ReadonlySet<string> {
    const list = recall(this.#key);
    return new Set(Array.isArray(list) ? list.map(String) : []);
  }
}
