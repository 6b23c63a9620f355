// A modal dialog: the browser's native one, which traps the focus and closes with Escape.
import { type ReactNode, useEffect, useId, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isSheet?: boolean;
  readonly testId?: string;
}

export function Dialog({ title, isOpen, onClose, children, isSheet = false, testId }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) element.current?.showModal();
    else element.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={element}
      className={isSheet ? 'sheet' : ''}
      aria-labelledby={id}
      onClose={onClose}
      data-testid={testId}
    >
      {isOpen && (
        <>
          <div className="split pad dialog-head">
            <h2 id={id}>{title}</h2>
            <button type="button" className="btn" onClick={onClose}>
              Close
            </button>
          </div>
          {children}
        </>
      )}
    </dialog>
  );
}
