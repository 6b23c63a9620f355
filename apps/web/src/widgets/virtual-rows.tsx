// A list of rows of equal height; past a hundred, only those near the viewport are rendered.
import { type ReactNode, type UIEvent, useState } from 'react';

interface VirtualRowsProps<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (item: T) => string;
  readonly children: (item: T) => ReactNode;
}

const VIRTUAL_FROM = 100;
const VIEW_ROWS = 12;
const SPARE_ROWS = 6;

export function VirtualRows<T>({ items, rowHeight, label, keyOf, children }: VirtualRowsProps<T>) {
  const [first, setFirst] = useState(0);
  const isVirtual = items.length > VIRTUAL_FROM;
  const from = isVirtual ? Math.max(0, Math.min(first, items.length - VIEW_ROWS) - SPARE_ROWS) : 0;
  const shown = isVirtual ? items.slice(from, from + VIEW_ROWS + 2 * SPARE_ROWS) : items;
  const onScroll = (event: UIEvent<HTMLDivElement>) => setFirst(Math.floor(event.currentTarget.scrollTop / rowHeight));
  const list = (
    <ul
      className="list"
      aria-label={label}
      style={isVirtual ? { paddingTop: from * rowHeight, height: items.length * rowHeight } : {}}
    >
      {shown.map((item) => (
        <li key={keyOf(item)} style={{ height: rowHeight }}>
          {children(item)}
        </li>
      ))}
    </ul>
  );
  if (!isVirtual) return list;
  return (
    <div className="virtual" style={{ height: VIEW_ROWS * rowHeight }} onScroll={onScroll}>
      {list}
    </div>
  );
}
