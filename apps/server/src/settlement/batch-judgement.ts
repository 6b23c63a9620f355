// What to do with each fill of a simulated batch: send it, blame it, or try it again. Pure.
import { fillCodes } from '@presage/contracts';
import { isCertain, toFault } from './fill-fault.ts';
import type { PlannedFill, TradeFault } from './ports.ts';

export interface Judgement {
  readonly send: readonly PlannedFill[];
  readonly blame: readonly { readonly fill: PlannedFill; readonly fault: TradeFault }[];
  /** Nobody's fault that is certain: may settle later. */
  readonly later: readonly { readonly fill: PlannedFill; readonly fault: TradeFault }[];
}

/**
 * A fill after a failed one of the same wallet was simulated on a state that will not be: it is neither sent nor blamed
 * but simulated again in the next round.
 */
export function judgeBatch(fills: readonly PlannedFill[], codes: Uint8Array): Judgement {
  const judgement = { send: [] as PlannedFill[], blame: [] as Blamed[], later: [] as Blamed[] };
  const failedWallets = new Set<string>();
  for (const [index, fill] of fills.entries()) {
    const { buyer, seller } = fill.trade;
    const isBehindFailure = failedWallets.has(buyer) || failedWallets.has(seller);
    const code = codes[index] ?? fillCodes.NOT_ATTEMPTED;
    if (code === fillCodes.SETTLED && !isBehindFailure) {
      judgement.send.push(fill);
      continue;
    }
    failedWallets.add(buyer).add(seller);
    if (isBehindFailure || code === fillCodes.SETTLED) continue;
    const fault = toFault(code);
    (isCertain(fault) ? judgement.blame : judgement.later).push({ fill, fault });
  }
  return judgement;
}

interface Blamed {
  readonly fill: PlannedFill;
  readonly fault: TradeFault;
}
