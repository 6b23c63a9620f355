// A table of rows; on a phone, cards instead if the caller provides them.
import { Fragment, type ReactNode } from 'react';
import { PHONE, useMedia } from '../state/preferences.ts';

export interface Column<R> {
  readonly name: string;
  readonly cell: (row: R) => ReactNode;
  /** Class of the cells; the heading of a `num` column is aligned with them. */
  readonly className?: string;
  readonly testId?: string;
}

interface TableProps<R> {
  readonly caption: ReactNode;
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  readonly keyOf: (row: R) => string | number;
  readonly testId?: string;
  readonly className?: string;
  /** Attributes of a row or of its card. */
  readonly attributes?: (row: R) => object;
  readonly hasKeys?: boolean;
  readonly card?: (row: R) => ReactNode;
  readonly foot?: ReactNode;
  /** Heading above a row that begins a group; nothing for other rows. */
  readonly groupHead?: ((row: R) => ReactNode) | undefined;
}

export function Table<R>(props: TableProps<R>) {
  const {
    caption,
    rows,
    columns,
    keyOf,
    testId,
    className = 'table',
    attributes,
    hasKeys,
    card,
    foot,
    groupHead,
  } = props;
  const isPhone = useMedia(PHONE);
  if (card && isPhone) {
    return (
      <div className="pcards" data-testid={testId}>
        {rows.map((row) => {
          const head = groupHead?.(row);
          return (
            <Fragment key={keyOf(row)}>
              {head && <div className="pcard">{head}</div>}
              <article className="pcard" {...attributes?.(row)}>
                {card(row)}
              </article>
            </Fragment>
          );
        })}
      </div>
    );
  }
  return (
    <table className={className} data-testid={testId} data-rows={hasKeys ? '' : undefined}>
      <caption className="sr">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, className: look }) => (
            <th key={name} scope="col" className={look?.startsWith('num') ? 'num' : ''}>
              {name === 'Action' ? <span className="sr">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const head = groupHead?.(row);
          return (
            <Fragment key={keyOf(row)}>
              {head && (
                <tr>
                  <td colSpan={columns.length}>{head}</td>
                </tr>
              )}
              <tr {...attributes?.(row)}>
                {columns.map(({ name, cell, className: look, testId: cellId }) => (
                  <td key={name} className={look} data-testid={cellId}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            </Fragment>
          );
        })}
      </tbody>
      {foot && (
        <tfoot>
          <tr>{foot}</tr>
        </tfoot>
      )}
    </table>
  );
}
