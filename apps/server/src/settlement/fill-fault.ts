// Why a fill did not settle, and who is to blame.
import { fillCodeParties, fillCodes } from '@presage/contracts';
import type { TradeFault } from './ports.ts';

type FillCode = Exclude<keyof typeof fillCodes, 'SETTLED'>;

const REASONS: Readonly<Record<FillCode, string>> = {
  UNKNOWN_ORDER: 'the batch names an order it does not carry',
  MISMATCH: 'the two orders do not match each other',
  PRICE_OUTSIDE_LIMITS: 'the price lies outside the limits of the orders',
  MARKET_UNKNOWN: 'the market is not in the batch or not registered with the settlement contract',
  MARKET_RESOLVED: 'the result of the market has been on chain for too long',
  BUYER_SIGNATURE: 'the signature of the buyer is not valid on chain',
  BUYER_EXPIRED: 'the order of the buyer expired before it could settle',
  BUYER_CANCELLED: 'the buyer cancelled the order on chain',
  BUYER_OVERFILLED: 'the order of the buyer is filled already on chain',
  BUYER_FUNDS: 'the stablecoin balance or allowance of the buyer does not cover the cost',
  BUYER_BLOCKED: 'the stablecoin refuses transfers of the buyer',
  BUYER_HALTED: 'the buyer stopped all trading on chain',
  SELLER_SIGNATURE: 'the signature of the seller is not valid on chain',
  SELLER_EXPIRED: 'the order of the seller expired before it could settle',
  SELLER_CANCELLED: 'the seller cancelled the order on chain',
  SELLER_OVERFILLED: 'the order of the seller is filled already on chain',
  SELLER_FUNDS: 'the seller holds neither the shares nor the stablecoin balance and allowance to mint them',
  SELLER_SHARE_APPROVAL: 'the seller has not approved the settlement contract for the shares',
  SELLER_BLOCKED: 'the stablecoin refuses transfers of the seller',
  SELLER_HALTED: 'the seller stopped all trading on chain',
  OUT_OF_GAS: 'the gas ran out',
  TOKEN_FAULT: 'a token contract failed',
  NOT_ATTEMPTED: 'the batch ran out of gas before this fill',
};

const NAMES = new Map(Object.entries(fillCodes).map(([name, code]) => [code as number, name as FillCode]));

/** What was not attempted is the operator's fault: the gas limit was too low. */
export function toFault(code: number): TradeFault {
  const name = NAMES.get(code);
  const faultParty = fillCodeParties[(code >> 4) as keyof typeof fillCodeParties] ?? 'operator';
  return { faultParty, reason: name ? REASONS[name] : `the settlement contract answered with code ${code}` };
}

/** A trader's fault is certain: the chain said so on a state that contains all that went before. Others may pass. */
export function isCertain(fault: TradeFault): boolean {
  return fault.faultParty === 'buyer' || fault.faultParty === 'seller';
}
