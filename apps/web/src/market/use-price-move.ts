// Detects a price that moves under a typed order by more than the order allows, and locks the button long enough for the user to notice.
import { useLayoutEffect, useRef, useState } from 'react';

export interface PriceMove {
  readonly from: number;
  readonly to: number;
  /** True while a press could still mean the previous price. */
  readonly isLocked: boolean;
}

interface Seen {
  readonly key: string;
  readonly best: number;
}

const LOCK_MS = 600;

/** `key` identifies the order as typed and is empty without one; `slackOf` gives the move that the order allows. */
export function usePriceMove(
  key: string,
  best: number | undefined,
  slackOf: (price: number) => number,
): PriceMove | undefined {
  const seen = useRef<Seen>(undefined);
  const [move, setMove] = useState<PriceMove & { readonly key: string }>();
  // Runs before the new price is painted, so that it never appears with an active button.
  useLayoutEffect(() => {
    if (key === '' || best === undefined) seen.current = undefined;
    else if (seen.current?.key !== key) seen.current = { key, best };
    else if (Math.abs(best - seen.current.best) > slackOf(seen.current.best)) {
      setMove({ key, from: seen.current.best, to: best, isLocked: true });
      seen.current = { key, best };
    }
  }, [key, best, slackOf]);
  useLayoutEffect(() => {
    if (!move?.isLocked) return;
    const timer = setTimeout(() => setMove({ ...move, isLocked: false }), LOCK_MS);
    return () => clearTimeout(timer);
  }, [move]);
  return move?.key === key ? move : undefined;
}
