// Tells the visitor after a reload that an order was being placed when it happened.
import { keepText, recallText } from './kept.ts';
import type { Toasts } from './toasts.ts';

const KEY = 'presage.placing';

/** Marks the order that is being placed, until the service has answered. Only for this tab: a reload does not interrupt others. */
export function markPlacing(text: string | undefined): void {
  keepText(KEY, text, sessionStorage);
}

export function announceInterrupted(toasts: Toasts): void {
  const text = recallText(KEY, sessionStorage);
  if (text === undefined) return;
  markPlacing(undefined);
  toasts.show({
    key: 'order interrupted',
    tone: 'bad',
    title: `Reloaded while placing: ${text}`,
    text: 'It was placed once or not at all. Check your open orders and your history before you place it again.',
  });
}
