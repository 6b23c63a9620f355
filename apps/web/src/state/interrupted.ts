// An order that was being placed when the page was reloaded: said so when the page is back.
import { keepText, recallText } from './kept.ts';
import type { Toasts } from './toasts.ts';

const KEY = 'presage.placing';

/** Until the service has answered. Of this tab only: another one is not interrupted. */
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
    text: 'It was placed once or not at all. Your open orders and your history show which, before you place it again.',
  });
}
