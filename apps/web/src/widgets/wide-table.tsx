// A container for a table that may be wider than the screen: it scrolls sideways, with the keyboard too.
import type { ReactNode } from 'react';

/** Keyboard users scroll with the arrow keys, so the region must be focusable. */
const REACHABLE = 0;

export function WideTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className="scroll" aria-label={label} tabIndex={REACHABLE}>
      {children}
    </section>
  );
}
