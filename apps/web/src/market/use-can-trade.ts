// Whether a market takes orders now: open, and not past its end by the service's clock.
import type { Market } from '@presage/sdk';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';

/** True until the market is known, so that controls do not disappear and come back while it loads. */
export function useCanTrade(market: Pick<Market, 'status' | 'expiration'> | undefined): boolean {
  const isPast = usePart(usePage().clock.seconds, (seconds) => seconds >= Number(market?.expiration ?? Infinity));
  return market === undefined || (market.status === 'open' && !isPast);
}
