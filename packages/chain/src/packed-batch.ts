// Packs the arguments of settleBatch, byte for byte as IPresageSettlement describes them.
import { asHex, type Hex, unmarkWalletSignature } from '@presage/protocol';
import { concatHex, numberToHex, padHex, size } from 'viem';

const ORDER_BYTES = 112;

/** Valid prices end at 999,999; the bits above hold side and outcome in an order, and four flags in a fill. */
const ORDER_PRICE_BITS = 22;
const FILL_PRICE_BITS = 20;
const MUST_NOT_MINT = 1 << 23;
const BUYER_LEDGER = 1 << 22;
const SELLER_LEDGER = 1 << 21;
const SELLER_TAKES = 1 << 20;

/** Without makerFeeRecipient: it must be zero, and the contract hashes zero. */
export interface PackableOrder {
  readonly marketId: Hex;
  readonly trader: Hex;
  readonly side: number;
  readonly outcome: number;
  readonly price: number | bigint;
  readonly size: number | bigint;
  readonly nonce: bigint;
  readonly expiration: bigint;
}

export interface PackableFill {
  /** Indexes of the two orders in the batch. */
  readonly buy: number;
  readonly sell: number;
  readonly price: number | bigint;
  readonly size: number | bigint;
  /** Settles only while the seller holds all its shares; contracts of version 2 do not support it. */
  readonly mustNotMint?: boolean;
  /** The buyer's deposit pays, if it covers the cost; contracts before version 4 have no deposits. */
  readonly buyerLedger?: boolean;
  /** The seller's deposit is paid, or pays for a mint. */
  readonly sellerLedger?: boolean;
  /** The seller pays the market's fee instead of the buyer; contracts before version 5 have no fees. */
  readonly sellerTakes?: boolean;
}

export interface PackableBatch {
  /** Signatures of keys have 65 bytes, v 27 or 28, lower case; those of contract wallets are marked. */
  readonly orders: readonly { readonly order: PackableOrder; readonly signature: Hex }[];
  readonly fills: readonly PackableFill[];
}

export type SettleBatchArguments = readonly [marketIds: readonly Hex[], orders: Hex, fills: Hex];

export function packBatch({ orders, fills }: PackableBatch): SettleBatchArguments {
  const marketIds = [...new Set(orders.map(({ order }) => order.marketId))];
  const places = new Map(marketIds.map((marketId, place) => [marketId, place]));
  const tail = new SignatureTail(orders.length * ORDER_BYTES);
  const packedOrders = orders.map(({ order, signature }) => {
    const ofWallet = unmarkWalletSignature(signature);
    const proof = ofWallet === undefined ? packSignature(signature) : tail.add(ofWallet);
    return concatHex([packOrder(order, places.get(order.marketId)!), proof]);
  });
  return [marketIds, concatHex([...packedOrders, tail.take()]), concatHex(fills.map(packFill))];
}

/** Signatures of contract wallets, which follow the last order; each order holds the offset of its own. */
class SignatureTail {
  readonly #parts: Hex[] = [];
  readonly #start: number;
  #length = 0;

  constructor(start: number) {
    this.#start = start;
  }

  /** Returns the value that replaces r and vs in the order. */
  add(signature: Hex): Hex {
    const [offset, length] = [this.#start + this.#length, size(signature)];
    this.#parts.push(signature);
    this.#length += length;
    return concatHex([packNumber((BigInt(offset) << 128n) | BigInt(length), 32), packNumber(0, 32)]);
  }

  /** All signatures, padded to the length of whole orders, which no fill refers to. */
  take(): Hex {
    const padding = (ORDER_BYTES - (this.#length % ORDER_BYTES)) % ORDER_BYTES;
    return concatHex([...this.#parts, `0x${'00'.repeat(padding)}`]);
  }
}

/**
 * Throws if a field does not fit: an overflow into the next field would look like a fault of the trader's signature.
 */
function packOrder(order: PackableOrder, marketIndex: number): Hex {
  return concatHex([
    padHex(order.trader, { size: 20 }),
    packNumber(order.nonce, 8),
    packNumber(marketIndex, 1),
    packTerms(order),
    packNumber(order.size, 8),
    packNumber(order.expiration, 8),
  ]);
}

function packTerms({ side, outcome, price }: PackableOrder): Hex {
  if (side >>> 1 !== 0 || outcome >>> 1 !== 0) throw new RangeError(`side ${side} or outcome ${outcome} is not 0 or 1`);
  assertPrice(price, ORDER_PRICE_BITS);
  return packNumber((side << 23) | (outcome << 22) | Number(price), 3);
}

/** EIP-2098: the parity of v in the top bit of s, which a low s leaves free. */
function packSignature(signature: Hex): Hex {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const parity = signature.endsWith('1c') ? 1n << 255n : 0n;
  return concatHex([asHex(signature.slice(0, 66)), packNumber(s | parity, 32)]);
}

function packFill(fill: PackableFill): Hex {
  assertPrice(fill.price, FILL_PRICE_BITS);
  const flags =
    (fill.mustNotMint ? MUST_NOT_MINT : 0) |
    (fill.buyerLedger ? BUYER_LEDGER : 0) |
    (fill.sellerLedger ? SELLER_LEDGER : 0) |
    (fill.sellerTakes ? SELLER_TAKES : 0);
  const terms = Number(fill.price) | flags;
  return concatHex([packNumber(fill.buy, 1), packNumber(fill.sell, 1), packNumber(terms, 3), packNumber(fill.size, 8)]);
}

function assertPrice(price: number | bigint, bits: number): void {
  if (price >= 1 << bits) throw new RangeError(`a price of ${price} has more than ${bits} bits`);
}

function packNumber(value: number | bigint, size: number): Hex {
  return numberToHex(value, { size });
}
