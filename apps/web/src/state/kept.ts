// Stores texts, and values as JSON, in this browser under a name.

/** Stores a text, or removes it if undefined. Returns false if the browser's storage is full: the text then lasts as long as this tab shows it. */
export function keepText(name: string, text: string | undefined, store: Storage = localStorage): boolean {
  try {
    if (text === undefined) store.removeItem(name);
    else store.setItem(name, text);
    return true;
  } catch {
    // The caller treats the text as not stored.
    return false;
  }
}

/** Stores a value as JSON, like `keepText`. */
export function keep(name: string, value: unknown): boolean {
  return keepText(name, JSON.stringify(value));
}

/** The stored text; undefined if there is none. */
export function recallText(name: string, store: Storage = localStorage): string | undefined {
  return store.getItem(name) ?? undefined;
}

/** The stored value; undefined if there is none or it is not JSON. */
export function recall(name: string): unknown {
  try {
    return JSON.parse(recallText(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
