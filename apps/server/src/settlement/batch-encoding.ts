// A batch as the arguments of settleBatch: every order once, compact signatures, one word a fill.
import type { OrderView } from '@presage/engine';
import type { PlannedFill } from './ports.ts';

type Hex = `0x${string}`;

export interface SettleBatchArguments {
  readonly orders: readonly EncodedOrder[];
  readonly signatures: readonly { readonly r: Hex; readonly vs: Hex }[];
  readonly fills: readonly bigint[];
}

interface EncodedOrder {
  readonly marketId: Hex;
  readonly trader: Hex;
  readonly side: number;
  readonly outcome: number;
  readonly price: bigint;
  readonly size: bigint;
  readonly nonce: bigint;
  readonly expiration: bigint;
  readonly makerFeeRecipient: Hex;
}

export function encodeBatch(fills: readonly PlannedFill[]): SettleBatchArguments {
  const places = new Map<string, number>();
  const views: OrderView[] = [];
  const placeOf = (view: OrderView): bigint => {
    const known = places.get(view.signed.orderHash);
    if (known !== undefined) return BigInt(known);
    places.set(view.signed.orderHash, views.length);
    return BigInt(views.push(view) - 1);
  };
  const words = fills.map(({ trade, buy, sell }) => {
    return (placeOf(buy) << 144n) | (placeOf(sell) << 128n) | (BigInt(trade.price) << 64n) | BigInt(trade.size);
  });
  return { orders: views.map(toEncodedOrder), signatures: views.map(toCompactSignature), fills: words };
}

function toEncodedOrder({ signed: { order } }: OrderView): EncodedOrder {
  return { ...order, price: BigInt(order.price), size: BigInt(order.size) };
}

/** EIP-2098: the parity of v in the top bit of s, which a low s leaves free. */
function toCompactSignature({ signed: { signature } }: OrderView): { r: Hex; vs: Hex } {
  const r = signature.slice(0, 66) as Hex;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const parity = signature.endsWith('1c') ? 1n << 255n : 0n;
  return { r, vs: `0x${(s | parity).toString(16).padStart(64, '0')}` };
}
