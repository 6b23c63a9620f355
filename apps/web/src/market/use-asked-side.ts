// The side that a link to a market names: `?buy=yes`, `?sell=no`; read once when the screen opens.
import { useEffect } from 'react';
import { usePage } from '../state/page-context.ts';

export function useAskedSide(): void {
  const { ticket } = usePage();
  useEffect(() => {
    const asked = new URLSearchParams(location.search);
    for (const side of ['sell', 'buy'] as const) {
      const outcome = asked.get(side);
      if (outcome === 'yes' || outcome === 'no') ticket.write({ side, outcome: outcome === 'yes' ? 'YES' : 'NO' });
    }
  }, [ticket]);
}
