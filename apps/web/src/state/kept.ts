// What this browser keeps for the page under a name: texts, and values as JSON.

/** Forgets it where `text` is undefined. False in a full browser: it lasts as long as this tab shows it. */
export function keepText(name: string, text: string | undefined, store: Storage = localStorage): boolean {
  try {
    if (text === undefined) store.removeItem(name);
    else store.setItem(name, text);
    return true;
  } catch {
    // There is nothing to recall then.
    return false;
  }
}

/** As `keepText` does. */
export function keep(name: string, value: unknown): boolean {
  return keepText(name, JSON.stringify(value));
}

/** The text as it was kept; undefined where none is. */
export function recallText(name: string, store: Storage = localStorage): string | undefined {
  return store.getItem(name) ?? undefined;
}

/** Undefined where nothing is kept, or nothing that can be read. */
export function recall(name: string): unknown {
  try {
    return JSON.parse(recallText(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
