// Compares the need of an order with the wallet's means, and creates the refusal with its remedy.
import { type Address, type Fault, toChecksumAddress } from '@presage/protocol';
import { availableOf, findShortage, type Means, type Shortage } from './cover.ts';
import type { Need } from './reserve.ts';

export interface TokenPlace {
  readonly stablecoin: Address;
  readonly conditionalTokens: Address;
  readonly settlement: Address;
}

/** Amounts of stablecoin with 6 decimals, unless the name says shares. */
export type OrderFunds = ReturnType<typeof toOrderFunds>;

export function toOrderFunds(need: Need, means: Means, { stablecoin, settlement }: TokenPlace) {
  return {
    token: stablecoin,
    spender: settlement,
    /** Maximum of stablecoin that the order can take. */
    required: need.money,
    /** Reserved for open orders and unsettled fills. */
    reserved: need.reserved,
    balance: means.balance,
    /** Includes the permit that was sent with the order. */
    allowance: means.allowance,
    deposited: means.deposited,
    available: availableOf(means, need.reserved),
    /** Held shares that the order would sell; they need an approval of their own. */
    sharesRequired: need.shares,
    sharesApproved: means.sharesApproved,
    covered: findShortage(need, means) === undefined,
  };
}

export function findFundsFault(need: Need, means: Means, place: TokenPlace): Fault | undefined {
  const shortage = findShortage(need, means);
  if (shortage === undefined) return undefined;
  const code = shortage === 'balance' ? 'insufficient_balance' : 'insufficient_allowance';
  return { code, details: { ...toDetails(shortage, need, means, place), fix: toFix(shortage, need, means) } };
}

/** Converts amounts to decimal strings, since a uint256 does not fit a number. */
function toDetails(shortage: Shortage, { money, shares, reserved }: Need, means: Means, place: TokenPlace) {
  const spender = toChecksumAddress(place.settlement);
  if (shortage === 'approval') {
    const token = toChecksumAddress(place.conditionalTokens);
    return { token, spender, required: `${shares}`, available: '0', reserved: '0' };
  }
  const there = shortage === 'balance' ? means.balance : means.allowance;
  const available = above(there, reserved);
  const token = toChecksumAddress(place.stablecoin);
  return { token, spender, required: `${money}`, available: `${available}`, reserved: `${reserved}` };
}

function toFix(shortage: Shortage, { money, headroom, reserved, reservedHeadroom }: Need, { balance }: Means): string {
  switch (shortage) {
    case 'balance':
      return `Send ${reserved + money - balance} more units of the token to the wallet, or cancel orders that reserve it.`;
    case 'allowance':
      return `Approve the spender for at least ${reserved - reservedHeadroom + money - headroom} units, or send a permitSignature of that value.`;
    case 'approval':
      return 'Approve the spender with setApprovalForAll; POST /api/v1/relayer/ctf-approval does it without gas money.';
  }
}

function above(amount: bigint, reserved: bigint): bigint {
  return amount > reserved ? amount - reserved : 0n;
}
