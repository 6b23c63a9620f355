// Tabs that work with the arrow keys, as the ARIA tabs pattern requires.
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';

export interface Tab {
  readonly key: string;
  readonly title: string;
  /** Shown beside the title unless it is 0. */
  readonly count?: number;
  readonly content: () => ReactNode;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const id = useId();
  const [selected, setSelected] = useState(0);
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (selected + step + tabs.length) % tabs.length;
    setSelected(next);
    const tab = event.currentTarget.children[next];
    if (tab instanceof HTMLElement) tab.focus();
  };
  const current = tabs[selected];
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs" onKeyDown={move}>
        {tabs.map(({ key, title, count = 0 }, index) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}${key}`}
            data-testid={`tab-${key}`}
            aria-selected={index === selected}
            aria-controls={`${id}panel`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {title}
            {count > 0 && <span className="count">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${current?.key}`} className="scroll">
        {current?.content()}
      </div>
    </>
  );
}
