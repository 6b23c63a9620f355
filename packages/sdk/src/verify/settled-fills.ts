// Parses the settlement's events: orders, price and size of each fill, who was charged a fee, and the use of deposits.
import { BUY, type Hex, makerRebate, type Price, SELL, type Side, type Size, takerFee } from '@presage/protocol';
import type { ChainLog } from './chain-reads.ts';
import { type LedgerTrade, settlementKey } from './checks/ledger.ts';

const UINT64 = 0xffff_ffff_ffff_ffffn;
const UINT16 = 0xffffn;

export interface Fill {
  readonly key: string;
  readonly price: number;
  readonly size: number;
  /** Side of the order that was charged; undefined if the market has no fee. */
  readonly payer: Side | undefined;
}

/** Whether the fill settled the trade as it was matched: only the taker may be charged. */
export function isFillOf({ price, size, payer }: Fill, trade: LedgerTrade): boolean {
  return price === trade.price && size === trade.size && (payer === undefined || payer === trade.takerSide);
}

export function toFill({ transactionHash, topics, data }: ChainLog): Fill {
  const key = settlementKey(transactionHash, { buyHash: topics[1]!, sellHash: topics[2]! });
  return { key, ...toTerms(BigInt(data)) };
}

/** After offset and length, each fill has three words: both orders and the amounts. */
export function toFills({ transactionHash, data }: ChainLog): Fill[] {
  const hashAt = (index: number): Hex => `0x${data.slice(2 + 64 * index, 66 + 64 * index)}`;
  return amountsIn(data).map((amounts, index) => {
    const first = 2 + 3 * index;
    const key = settlementKey(transactionHash, { buyHash: hashAt(first), sellHash: hashAt(first + 1) });
    return { key, ...toTerms(amounts) };
  });
}

export function amountsIn(data: string): bigint[] {
  return Array.from({ length: Number(wordOf(data, 1)) / 3 }, (_, index) => wordOf(data, 4 + 3 * index));
}

/**
 * Net change of the deposits. The two top bits say whether the buyer's deposit paid the cost, and whether the seller's
 * deposit received the proceeds, less a mint.
 */
export function depositedBy(amounts: bigint): bigint {
  const { pays, gets } = duesOf(amounts);
  const byBuyer = amounts >> 255n === 1n ? -pays : 0n;
  return byBuyer + ((amounts >> 254n) & 1n ? gets - (amounts & UINT64) : 0n);
}

/** What the buyer paid and the seller received: the cost, with fee and rebate if the market charges takers. */
function duesOf(amounts: bigint): { pays: bigint; gets: bigint } {
  const cost = (amounts >> 64n) & UINT64;
  const { price, size, payer } = toTerms(amounts);
  const [rateBps, shareBps] = [(amounts >> 212n) & UINT16, (amounts >> 228n) & UINT16];
  const fee = takerFee(Number(rateBps), size, price);
  const rebate = makerRebate(fee, Number(shareBps));
  return payer === SELL ? { pays: cost - rebate, gets: cost - fee } : { pays: cost + fee, gets: cost + rebate };
}

/**
 * The bits above the price hold the market's fees, the taker, and the use of deposits; the contract checked price and
 * size.
 */
function toTerms(amounts: bigint) {
  const price = Number((amounts >> 192n) & 0xf_ffffn) as Price;
  const taker: Side = (amounts >> 253n) & 1n ? SELL : BUY;
  const isCharged = ((amounts >> 212n) & UINT16) !== 0n;
  return { price, size: Number((amounts >> 128n) & UINT64) as Size, payer: isCharged ? taker : undefined };
}

export function wordOf(data: string, index: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`);
}
