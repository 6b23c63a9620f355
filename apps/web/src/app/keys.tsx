// Keyboard shortcuts: one letter per action, off while the user types in a field; and the dialog that lists them.
import { useEffect } from 'react';
import { usePage } from '../state/page-context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { actionOf } from './key-actions.ts';

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
      // A held key counts as one press.
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
