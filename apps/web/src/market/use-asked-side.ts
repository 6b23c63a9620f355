// Fills the ticket as a link asks (`?buy=yes`, `?sell=no`), read once when the screen opens. A sale is filled with all free shares.
import { formatAmount, type OutcomeName } from '@presage/sdk';
import { useEffect, useRef } from 'react';
import { usePage } from '../state/page-context.ts';
import { useFreeShares } from './use-free-shares.ts';

export function useAskedSide(marketId: string | undefined): void {
  const { ticket } = usePage();
  const selling = useRef<OutcomeName>(undefined);
  const free = useFreeShares(marketId);
  useEffect(() => {
    const asked = new URLSearchParams(location.search);
    for (const side of ['sell', 'buy'] as const) {
      const text = asked.get(side);
      if (text !== 'yes' && text !== 'no') continue;
      const outcome = text === 'yes' ? 'YES' : 'NO';
      ticket.write({ side, outcome });
      if (side === 'sell') selling.current = outcome;
    }
  }, [ticket]);
  // Fills in the amount once the free shares are known, unless the user has changed the ticket.
  useEffect(() => {
    const outcome = selling.current;
    if (outcome === undefined || free === undefined) return;
    selling.current = undefined;
    const { side, outcome: chosen, amount } = ticket.ticket.get();
    const isUntouched = side === 'sell' && chosen === outcome && amount === '';
    if (isUntouched && free[outcome] > 0n) ticket.write({ amount: formatAmount(free[outcome]) });
  }, [ticket, free]);
}
