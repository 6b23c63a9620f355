// The states common to all widgets: loading, empty, failed. Each sets `data-state`.
import type { ReactNode } from 'react';
import type { Remote } from '../state/remote.ts';
import { Button } from './controls.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Widths in percent, all different so that the lines look like text; no skeleton has more lines. */
const ROW_WIDTHS = Array.from({ length: 24 }, (_, row) => 50 + ((row * 17) % 43));

/** Grey lines as tall as the content, so that the layout does not jump when it arrives. */
export function Skeleton({ rows, rowHeight = 24 }: { readonly rows: number; readonly rowHeight?: number }) {
  return (
    <div
      className="skeleton"
      data-state="loading"
      role="status"
      aria-label="Loading"
      style={{ height: rows * rowHeight }}
    >
      {ROW_WIDTHS.slice(0, rows).map((width) => (
        <div key={width} style={{ height: rowHeight }}>
          <span className="bone" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly text: string;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

export function Empty({ text, icon, children }: EmptyProps) {
  return (
    <div className="empty" data-state="empty">
      {icon && <Icon name={icon} size={22} />}
      <span>{text}</span>
      {children}
    </div>
  );
}

interface FailedProps {
  readonly what: string;
  readonly of: Pick<Remote<unknown>, 'failure' | 'reload'>;
}

export function Failed({ what, of: { failure, reload } }: FailedProps) {
  return (
    <div className="failed" data-state="error" role="alert">
      <p>
        <strong>{what} could not be read.</strong> {failure?.message}. {failure?.remedy}
      </p>
      {failure?.requestId && <p className="sm t3">Request {failure.requestId}</p>}
      <Button look="line" onClick={reload}>
        Try again
      </Button>
    </div>
  );
}
