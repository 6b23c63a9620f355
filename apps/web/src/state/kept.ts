// What this browser keeps for the page, as JSON under a name.

/** What a full browser refuses lasts as long as this tab shows it. */
export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // There is nothing to recall then.
  }
}

/** Undefined where nothing is kept, or nothing that can be read. */
export function recall(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
