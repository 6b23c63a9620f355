// Asks for confirmation, in place, before something is sent.
import type { ReactNode } from 'react';
import { Button } from './controls.tsx';

export interface ConfirmProps {
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

interface ConfirmBoxProps extends ConfirmProps {
  readonly testId: string;
  /** Texts of the confirming button: at rest, and while the action runs. */
  readonly yes: string;
  readonly busy: string;
  readonly children: ReactNode;
}

export function ConfirmBox({ testId, yes, busy, isBusy, onConfirm, onCancel, children }: ConfirmBoxProps) {
  return (
    <div className="confirm" data-testid={testId}>
      <p className="sm">{children}</p>
      <div className="row acts">
        <Button look="main sm" testId="confirm" aria-busy={isBusy} onClick={onConfirm}>
          {isBusy ? busy : yes}
        </Button>
        <Button look="line sm" onClick={onCancel}>
          Not now
        </Button>
      </div>
    </div>
  );
}
