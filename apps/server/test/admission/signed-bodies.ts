// Bodies of POST /api/v1/orders as a wallet makes them: signed by viem, an implementation that is not ours.
import { ORDER_TYPES, type SigningDomain, ZERO_ADDRESS } from '@presage/protocol';
import { keccak256, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

export const NOW = 1_900_000_000;
export const MARKET = `0x${'5e'.repeat(32)}` as const;

export const DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};

export const alice = wallet('alice');
export const bob = wallet('bob');

function wallet(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(name)));
}

/** The order as it stands in a body; a test may put anything into it. */
export interface WireOrder {
  marketId: unknown;
  trader: unknown;
  side: unknown;
  outcome: unknown;
  price: unknown;
  size: unknown;
  nonce: unknown;
  expiration: unknown;
  makerFeeRecipient: unknown;
}

export interface WireBody {
  order: WireOrder;
  signature: string;
  [other: string]: unknown;
}

export function aliceBuysYes(fields: Partial<WireOrder> = {}): WireOrder {
  return {
    marketId: MARKET,
    trader: alice.address,
    side: 0,
    outcome: 0,
    price: 550_000,
    size: 10_000_000,
    nonce: 1,
    expiration: NOW + 3_600,
    makerFeeRecipient: ZERO_ADDRESS,
    ...fields,
  };
}

export function bobSellsYes(fields: Partial<WireOrder> = {}): WireOrder {
  return aliceBuysYes({ trader: bob.address, side: 1, ...fields });
}

export function typedData(order: WireOrder, domain: SigningDomain) {
  const message = order as unknown as Record<string, number | string | bigint>;
  const integers = ['price', 'size', 'nonce', 'expiration'].map((name) => [name, BigInt(message[name]!)]);
  return { domain, types: ORDER_TYPES, primaryType: 'Order' as const, message: signable(message, integers) };
}

function signable(message: object, integers: (string | bigint)[][]) {
  return { ...message, ...Object.fromEntries(integers) } as never;
}

export async function signBy(account: PrivateKeyAccount, order: WireOrder, domain = DOMAIN): Promise<WireBody> {
  return { order, signature: await account.signTypedData(typedData(order, domain)) };
}
