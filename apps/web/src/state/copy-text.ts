// Puts a text on the clipboard and says so; shows it where the browser has none for pages that came over plain http.
import type { Toasts } from './toasts.ts';

interface Copied {
  /** What the message calls it. */
  readonly what: string;
  readonly text: string;
}

export async function copyText(toasts: Toasts, { what, text }: Copied): Promise<void> {
  const key = 'copy';
  try {
    await navigator.clipboard.writeText(text);
    toasts.show({ key, tone: 'ok', title: `${what} copied` });
  } catch {
    toasts.show({ key, tone: 'warn', title: `${what} not copied`, text });
  }
}
