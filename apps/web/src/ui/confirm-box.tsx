// Asks once more, in place, before something is sent.
import type { ReactNode } from 'react';

interface ConfirmBoxProps {
  readonly testId: string;
  /** What the button says, and what while it is under way. */
  readonly yes: string;
  readonly busy: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  /** What would happen. */
  readonly children: ReactNode;
}

export function ConfirmBox({ testId, yes, busy, isBusy, onConfirm, onCancel, children }: ConfirmBoxProps) {
  return (
    <div className="confirm" data-testid={testId}>
      <p className="sm">{children}</p>
      <div className="row acts">
        <button type="button" className="btn btn-main sm" data-testid="confirm" aria-busy={isBusy} onClick={onConfirm}>
          {isBusy ? busy : yes}
        </button>
        <button type="button" className="btn btn-line sm" onClick={onCancel}>
          Not now
        </button>
      </div>
    </div>
  );
}
