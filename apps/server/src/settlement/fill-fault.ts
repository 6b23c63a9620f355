// Meaning of each code of the settlement contract: who is to blame, and whether the fill can still settle.
import { fillCodes } from '@presage/contracts';
import { type FaultParty, keysOf, type TradeParty } from '@presage/protocol';
import type { TradeFault } from '../host/host-commands.ts';

type FillCode = Exclude<keyof typeof fillCodes, 'SETTLED'>;

/** Meaning of a code. A final fault is permanent: a trader at fault loses their order; if nobody is at fault, both orders end. Others are retried. */
interface Meaning {
  readonly faultParty: FaultParty;
  readonly isFinal: boolean;
  readonly reason: string;
  readonly overfilled?: TradeParty;
}

export interface FillFault extends TradeFault {
  readonly isFinal: boolean;
}

const MEANINGS: Readonly<Record<FillCode, Meaning>> = {
  UNKNOWN_ORDER: passing('operator', 'the batch names an order it does not carry'),
  MISMATCH: passing('operator', 'the two orders do not match each other'),
  PRICE_OUTSIDE_LIMITS: passing('operator', 'the price lies outside the limits of the orders'),
  MARKET_UNKNOWN: passing('operator', 'the market is not in the batch or not registered with the settlement contract'),
  MARKET_RESOLVED: final('operator', 'the result of the market has been on chain for too long'),
  MARKET_ENDED: final('operator', 'the market ended before the trade could settle, so the trade is void'),
  MARKET_PAUSED: passing('operator', 'the market is paused on chain'),
  LEDGER_NOT_NAMED: passing('operator', 'a deposit covers what the wallet does not, but the fill does not name it'),
  BUYER_SIGNATURE: final('buyer', 'the signature of the buyer is not valid on chain'),
  BUYER_EXPIRED: final('buyer', 'the order of the buyer expired before it could settle'),
  BUYER_CANCELLED: final('buyer', 'the buyer cancelled the order on chain'),
  BUYER_OVERFILLED: overfilled('buyer', 'the order of the buyer is filled already on chain'),
  BUYER_FUNDS: final(
    'buyer',
    'neither the deposit nor the stablecoin balance and allowance of the buyer cover the cost with its fee',
  ),
  BUYER_BLOCKED: final('buyer', 'the stablecoin refuses transfers of the buyer'),
  BUYER_HALTED: final('buyer', 'the buyer stopped all trading on chain'),
  SELLER_SIGNATURE: final('seller', 'the signature of the seller is not valid on chain'),
  SELLER_EXPIRED: final('seller', 'the order of the seller expired before it could settle'),
  SELLER_CANCELLED: final('seller', 'the seller cancelled the order on chain'),
  SELLER_OVERFILLED: overfilled('seller', 'the order of the seller is filled already on chain'),
  SELLER_FUNDS: final(
    'seller',
    'the seller holds neither the shares nor the deposit or stablecoin balance and allowance to mint them',
  ),
  SELLER_SHARE_APPROVAL: final('seller', 'the seller has not approved the settlement contract for the shares'),
  SELLER_BLOCKED: final('seller', 'the stablecoin refuses transfers of the seller'),
  SELLER_HALTED: final('seller', 'the seller stopped all trading on chain'),
  SELLER_WOULD_MINT: final('seller', 'the reduce-only order of the seller would have minted a short'),
  OUT_OF_GAS: passing('chain', 'the gas ran out'),
  TOKEN_FAULT: passing('chain', 'a token contract failed'),
  NOT_ATTEMPTED: passing('operator', 'the batch ran out of gas before this fill'),
};

const NAMES = new Map<number, FillCode>(keysOf(MEANINGS).map((name) => [fillCodes[name], name]));

/** Converts a code to its fault. Unknown codes of newer contracts are the operator's. */
export function toFault(code: number): FillFault {
  const name = NAMES.get(code);
  return name ? MEANINGS[name] : passing('operator', `the settlement contract answered with code ${code}`);
}

function final(faultParty: FaultParty, reason: string): Meaning {
  return { faultParty, isFinal: true, reason };
}

/** The order has no room left on chain. Only the settler fills orders, so the unknown fill was revived by a deep reorganization or made by another service. */
function overfilled(party: TradeParty, reason: string): Meaning {
  return { faultParty: 'chain', isFinal: true, reason, overfilled: party };
}

function passing(faultParty: FaultParty, reason: string): Meaning {
  return { faultParty, isFinal: false, reason };
}
