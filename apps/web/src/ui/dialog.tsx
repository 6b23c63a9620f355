// A modal dialog: the browser's native one, which traps the focus and closes with Escape.
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isSheet?: boolean;
  /** Shows the dialog along the right edge, so that the screen behind it stays visible. */
  readonly isDrawer?: boolean;
  readonly testId?: string;
}

export function Dialog({ title, isOpen, onClose, children, isSheet = false, isDrawer = false, testId }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) element.current?.showModal();
    else element.current?.close();
  }, [isOpen]);
  /** Closes on a click beside the content, which the browser reports on the dialog itself. */
  const onClick = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a native dialog by itself.
    <dialog
      ref={element}
      className={isSheet ? 'sheet' : isDrawer ? 'drawer' : ''}
      aria-labelledby={id}
      onClose={onClose}
      onClick={onClick}
      data-testid={testId}
    >
      {isOpen && (
        <>
          {isSheet && <span className="grip" aria-hidden="true" />}
          <div className={isSheet ? 'sheet-head split' : 'split dialog-head'}>
            <h2 id={id}>{title}</h2>
            <Button className="icon-btn" aria-label="Close" onClick={onClose}>
              <Icon name="cross" size={18} />
            </Button>
          </div>
          {children}
        </>
      )}
    </dialog>
  );
}
