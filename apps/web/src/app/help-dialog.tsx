// The dialog that lists the keyboard shortcuts.
import { Dialog } from '../ui/dialog.tsx';
import { KEYS } from './keys.ts';

export function HelpDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose} testId="help">
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
