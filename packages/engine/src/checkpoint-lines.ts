// The checkpoint format of one order, one trade and one market: fixed fields in a fixed order.
import {
  type Address,
  areDefaultTerms,
  DEFAULT_TERMS,
  type MarketId,
  makeTerms,
  ORDER_TERM_NAMES,
  ORDER_TERMS,
  type OrderHash,
  type OrderStatus,
  type OrderTermName,
  type OrderTerms,
  type Outcome,
  type PermitSignature,
  type Price,
  type Side,
  type SignedOrder,
  type Size,
  sortKeys,
  type TradeSettlement,
  type TradeStage,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { firstFillsOf } from './order-answer.ts';
import { type MarketRecord, toTradeId } from './records.ts';
import { type OrderSlab, toStatus } from './slabs/order-slab.ts';
import type { SignedOrders } from './slabs/signed-orders.ts';
import { type TradeSlab, toStage } from './slabs/trade-slab.ts';

export type NoncesLine = readonly [tag: 'nonces', trader: Address, nonces: readonly string[]];

export type OrderLine = readonly [
  tag: 'order',
  signed: SignedFields,
  step: number,
  timeMs: number,
  sequence: number,
  filled: number,
  status: OrderStatus,
  isNonceSpent: boolean,
  firstStatus: OrderStatus,
  firstFills: readonly (readonly [id: number, tradeId: string, price: Price, size: Size])[],
];

type SignedFields = readonly [
  orderHash: OrderHash,
  trader: Address,
  side: Side,
  outcome: Outcome,
  price: Price,
  size: Size,
  nonce: string,
  expiration: string,
  makerFeeRecipient: Address,
  signature: `0x${string}`,
  ...terms: OrderTerms[OrderTermName][],
  permit: PermitFields | null,
];
const FIRST_TERM = 10;

export type PermitFields = readonly [
  nonce: string,
  value: string,
  deadline: string,
  v: number,
  r: PermitSignature['r'],
  s: PermitSignature['s'],
];

export type TradeLine = readonly [
  tag: 'trade',
  id: number,
  tradeId: string,
  timeMs: number,
  outcome: Outcome,
  price: Price,
  size: Size,
  takerSide: Side,
  makerHash: OrderHash,
  takerHash: OrderHash,
  stage: TradeStage,
  movedMs: number,
  settlement: TradeSettlement | null,
];

/** Slabs of the current state, or of an earlier moment. */
export interface SlabsOfLines {
  readonly signed: SignedOrders;
  readonly orders: OrderSlab;
  readonly trades: TradeSlab;
}
type Prefixed = Pick<MarketRecord, 'tradePrefix'>;

/**
 * The text of an `OrderLine`, built by hand: nearly all lines of a checkpoint are orders, and none of their texts needs
 * escaping in JSON. `JSON.stringify` takes several times as long.
 */
export function toOrderText({ signed, orders, trades }: SlabsOfLines, market: Prefixed, order: number): string {
  const lastFill = orders.lastFill(order);
  const fills = firstFillsOf(trades, lastFill)
    .map((trade) => toFillText(trades, market, trade))
    .join(',');
  const permit = signed.permit(order);
  const permitText = permit === undefined ? 'null' : JSON.stringify(toPermitFields(permit));
  const terms = signed.terms(order);
  const termsText = terms === DEFAULT_TERMS ? DEFAULT_TERMS_TEXT : toTermsText(terms);
  return (
    `["order",["${signed.hash(order)}","${signed.trader(order)}",${orders.side(order)},${orders.outcome(order)},` +
    `${orders.price(order)},${signed.size(order)},"${signed.nonce(order)}","${signed.expiration(order)}",` +
    `"${signed.makerFeeRecipient(order)}","${signed.signature(order)}",${termsText},${permitText}],` +
    `${signed.step(order)},${signed.timeMs(order)},${orders.sequence(order)},${orders.filled(order)},` +
    `"${toStatus(orders.status(order))}",${orders.isSpent(order)},"${toStatus(orders.firstStatus(order))}",[${fills}]]`
  );
}

/** Number of terms that every checkpoint has had. */
const FIRST_TERMS = 3;

/**
 * A younger term is only written if it, or one after it, differs from the default, so that older checkpoints restore to
 * the same bytes.
 */
function toTermsText(terms: OrderTerms): string {
  const last = ORDER_TERM_NAMES.findLastIndex((name) => terms[name] !== DEFAULT_TERMS[name]);
  const written = ORDER_TERM_NAMES.slice(0, Math.max(FIRST_TERMS, last + 1));
  return written.map((name) => JSON.stringify(terms[name])).join(',');
}

const DEFAULT_TERMS_TEXT = toTermsText(DEFAULT_TERMS);

function toFillText(trades: TradeSlab, market: Prefixed, trade: number): string {
  const tradeId = toTradeId(market, trades.count(trade));
  return `[${trades.id(trade)},"${tradeId}",${trades.price(trade)},${trades.fillSize(trade)}]`;
}

export function toPermitFields({ nonce, value, deadline, v, r, s }: PermitSignature): PermitFields {
  return [nonce.toString(), value.toString(), deadline.toString(), v, r, s];
}

export function fromOrderLine([, signed]: OrderLine, marketId: MarketId): SignedOrder {
  const [orderHash, trader, side, outcome, price, size, nonce, expiration, makerFeeRecipient, signature] = signed;
  const order = {
    marketId,
    trader,
    side,
    outcome,
    price,
    size,
    nonce: BigInt(nonce),
    expiration: BigInt(expiration),
    makerFeeRecipient: makerFeeRecipient === ZERO_ADDRESS ? ZERO_ADDRESS : makerFeeRecipient,
  };
  const given = fromTermFields(signed);
  const terms = areDefaultTerms(given) ? DEFAULT_TERMS : given;
  const permit = signed.at(-1);
  const hasPermit = typeof permit === 'object' && permit !== null;
  const line = { orderHash, order, signature, terms };
  return hasPermit ? { ...line, permit: fromPermitFields(permit) } : line;
}

/** A term added after the checkpoint was written has its default value. */
function fromTermFields(signed: SignedFields): OrderTerms {
  let place = FIRST_TERM;
  return makeTerms((name) => {
    const found = signed[place++];
    const values: readonly OrderTerms[OrderTermName][] = ORDER_TERMS[name];
    return values.find((value) => value === found) ?? values[0]!;
  });
}

export function fromPermitFields([nonce, value, deadline, v, r, s]: PermitFields): PermitSignature {
  return { nonce: BigInt(nonce), value: BigInt(value), deadline: BigInt(deadline), v, r, s };
}

export function toTradeLine({ signed, orders, trades }: SlabsOfLines, market: Prefixed, trade: number): TradeLine {
  const [maker, taker] = [trades.maker(trade), trades.taker(trade)];
  const settlement = trades.settlements[trade];
  return [
    'trade',
    trades.id(trade),
    toTradeId(market, trades.count(trade)),
    trades.timeMs(trade),
    orders.outcome(maker),
    // Trades only hold valid prices and sizes.
    trades.price(trade) as Price,
    trades.fillSize(trade) as Size,
    orders.side(taker),
    signed.hash(maker),
    signed.hash(taker),
    toStage(trades.stage(trade)),
    trades.movedMs(trade),
    settlement === undefined ? null : sortKeys(settlement),
  ];
}
