// Why a fill did not settle, in words, and who is to blame: the service's side of FillCodes.sol.
import type { TradeFault } from './ports.ts';

/** FillCodes.SETTLED. */
export const SETTLED = 0;
/** In the answer of a simulation: the gas ran low before this fill. */
export const NOT_ATTEMPTED = 0xff;

const REASONS: Readonly<Record<number, string>> = {
  16: 'the batch names an order it does not carry',
  17: 'the two orders do not match each other',
  18: 'the price lies outside the limits of the orders',
  19: 'the market is not registered with the settlement contract',
  32: 'the signature of the buyer is not valid on chain',
  33: 'the fee recipient of the buyer is not the zero address',
  34: 'the order of the buyer expired before it could settle',
  35: 'the buyer cancelled the order on chain',
  36: 'the order of the buyer is filled already on chain',
  37: 'the stablecoin balance or allowance of the buyer does not cover the cost',
  48: 'the signature of the seller is not valid on chain',
  49: 'the fee recipient of the seller is not the zero address',
  50: 'the order of the seller expired before it could settle',
  51: 'the seller cancelled the order on chain',
  52: 'the order of the seller is filled already on chain',
  53: 'the seller holds neither the shares nor the stablecoin balance and allowance to mint them',
  54: 'the seller has not approved the settlement contract for the shares',
  64: 'the gas ran out',
  65: 'a token contract failed',
  255: 'the batch ran out of gas before this fill',
};

/** The high digit of a code names the party. */
const PARTIES = { 1: 'operator', 2: 'buyer', 3: 'seller', 4: 'chain', 15: 'operator' } as const;

export function toFault(code: number): TradeFault {
  const party = PARTIES[(code >> 4) as keyof typeof PARTIES] ?? 'operator';
  return { faultParty: party, reason: REASONS[code] ?? `the settlement contract answered with code ${code}` };
}

/** A trader's fault is certain: the chain said so on a state that contains all that went before. Others may pass. */
export function isCertain(fault: TradeFault): boolean {
  return fault.faultParty === 'buyer' || fault.faultParty === 'seller';
}
