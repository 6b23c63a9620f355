// Keyboard shortcuts: one letter per action, off while the user types in a field; and the dialog that lists them.
import { useEffect } from 'react';
import { type Page, usePage } from '../state/page-context.ts';
import { Dialog } from '../ui/dialog.tsx';

const KEYS = [
  { keys: '/', text: 'search the markets' },
  { keys: 'j k', text: 'next and previous row' },
  { keys: 'b s', text: 'buy, sell' },
  { keys: 'y n', text: 'YES, NO' },
  { keys: 'a', text: 'amount' },
  { keys: '↑ ↓', text: 'limit price up and down by 0.5¢, with Shift by 5¢' },
  { keys: 'Enter', text: 'place the order, from a field of the ticket' },
  { keys: 'x', text: 'cancel the selected order' },
  { keys: '?', text: 'this help' },
] as const;

export function HelpDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose} testId="help">
      <dl className="pad keys">
        {KEYS.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const TYPING = 'input, select, textarea, [contenteditable], [role=tab]';

export function useKeys(onHelp: () => void): void {
  const page = usePage();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const focus = document.activeElement;
      // A held key is one press.
      const isBusy = event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented;
      if (isBusy || focus?.matches(TYPING) || document.querySelector('dialog[open]:not(.sheet)')) return;
      const action = actionOf(event, page, onHelp);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [page, onHelp]);
}

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

/** Elsewhere arrows scroll: the screen, or the column that has the focus. */
function isPriceInReach(): boolean {
  const hasField = document.querySelector('[data-testid=price]') !== null;
  return hasField && !document.activeElement?.matches('[tabindex="0"]');
}

/** Within the table or list that has the focus, else in the first one on the screen. */
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
