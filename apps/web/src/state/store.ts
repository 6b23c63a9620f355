// Observable values for components: updated immediately, or at most once per animation frame.
import { Listeners } from '@presage/runtime';
import { useSyncExternalStore } from 'react';

export interface Watched<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

export class Store<T> implements Watched<T> {
  #value: T;
  readonly #listeners = new Listeners();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.call();
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }
}

/** Publishes the newest value once per animation frame, so that frequent changes cost at most sixty renders a second. */
export class FrameStore<T> implements Watched<T> {
  readonly #shown: Store<T>;
  #newest: T;
  #frame: number | undefined;

  constructor(value: T) {
    this.#shown = new Store(value);
    this.#newest = value;
  }

  readonly get = (): T => this.#shown.get();

  readonly subscribe = (listener: () => void): (() => void) => this.#shown.subscribe(listener);

  update(change: (value: T) => T): void {
    this.#newest = change(this.#newest);
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#shown.set(this.#newest);
    });
  }
}

export function useWatched<T>(store: Watched<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Re-renders only when the selected part changes: select values, not new objects. */
export function usePart<T, P>(store: Watched<T>, pick: (value: T) => P): P {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
