// Room for a table that may be wider than the screen: it scrolls sideways by itself, with the keyboard too.
import type { ReactNode } from 'react';

/** Whoever has no mouse scrolls with the arrows, and for that the region must be able to have the focus. */
const REACHABLE = 0;

export function WideTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className="scroll" aria-label={label} tabIndex={REACHABLE}>
      {children}
    </section>
  );
}
