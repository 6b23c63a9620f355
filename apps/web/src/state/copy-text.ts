// Copies a text to the clipboard and confirms it; shows the text if the browser offers no clipboard, as for pages over plain http.
import type { Toasts } from './toasts.ts';

interface Copied {
  /** Name of the text in the message. */
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
