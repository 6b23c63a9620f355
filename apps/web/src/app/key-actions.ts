// The action of each key on the current screen; none for keys that the browser needs there.
import type { Page } from '../state/page-context.ts';

export function actionOf(
  { key, shiftKey }: KeyboardEvent,
  { ticket }: Page,
  onHelp: () => void,
): (() => void) | undefined {
  const step = shiftKey ? 10 : 1;
  const actions: Readonly<Record<string, () => void>> = {
    '/': () => document.querySelector<HTMLElement>('[data-testid=search]')?.focus(),
    '?': onHelp,
    j: () => moveRow(1),
    k: () => moveRow(-1),
    b: () => ticket.write({ side: 'buy' }),
    s: () => ticket.write({ side: 'sell' }),
    y: () => ticket.write({ outcome: 'YES' }),
    n: () => ticket.write({ outcome: 'NO' }),
    x: () => cancelSelected(),
    ...(isPriceInReach() && {
      ArrowUp: () => ticket.stepPrice(step),
      ArrowDown: () => ticket.stepPrice(-step),
    }),
    a: () => document.querySelector<HTMLElement>('[data-testid=size]')?.focus(),
  };
  return actions[key];
}

/** Whether arrow keys change the price. Otherwise they scroll the screen, or the column that has the focus. */
function isPriceInReach(): boolean {
  const hasField = document.querySelector('[data-testid=price]') !== null;
  return hasField && !document.activeElement?.matches('[tabindex="0"]');
}

/** Moves the focus by rows within the focused table or list, else within the first one on the screen. */
function moveRow(step: number): void {
  const focus = document.activeElement;
  const lists = [...document.querySelectorAll<HTMLElement>('[data-rows]')].filter((list) => list.offsetParent !== null);
  const list = focus?.closest('[data-rows]') ?? lists[0];
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const at = focus instanceof HTMLElement ? rows.indexOf(focus) : -1;
  const next = at === -1 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  rows[next]?.focus();
}

function cancelSelected(): void {
  const focus = document.activeElement;
  if (focus instanceof HTMLElement && focus.matches('[data-cancel]')) focus.click();
}
