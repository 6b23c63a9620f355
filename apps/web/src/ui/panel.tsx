// Panels with a heading, and the labelled facts in them.
import type { ReactNode } from 'react';

interface PanelProps {
  /** Makes the heading's id, `h-<id>`. */
  readonly id: string;
  readonly title: string;
  readonly note?: ReactNode;
  readonly aside?: ReactNode;
  readonly className?: string;
  /** Class of the row around the heading; empty for a heading without a row. */
  readonly head?: string | undefined;
  readonly testId?: string;
  readonly state?: string;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

export function Panel(props: PanelProps) {
  const { id, title, note, aside, className, head = 'panel-head', testId, state, isBusy, children } = props;
  const heading = <h2 id={`h-${id}`}>{title}</h2>;
  return (
    <section
      className={className ? `panel ${className}` : 'panel'}
      aria-labelledby={`h-${id}`}
      data-testid={testId}
      data-state={state}
      aria-busy={isBusy}
    >
      {head === '' ? (
        heading
      ) : (
        <div className={head}>
          {heading}
          {note !== undefined && <span className="sm t2">{note}</span>}
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

interface FactProps {
  readonly name: ReactNode;
  readonly className?: string;
  readonly testId?: string | undefined;
  readonly tone?: string;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/** A figure in the head of a market. */
export function Stat(props: Omit<FactProps, 'className'>) {
  return <Fact {...props} className="stat" />;
}

/** A term and its value in a `dl`. */
export function Fact({ name, className, testId, tone, title, children }: FactProps) {
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd className={tone} data-testid={testId} title={title}>
        {children}
      </dd>
    </div>
  );
}
