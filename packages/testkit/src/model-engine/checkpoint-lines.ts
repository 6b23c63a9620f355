// The checkpoint format of one order, one trade and one market: fixed fields in a fixed order.
import {
  type Address,
  areDefaultTerms,
  DEFAULT_TERMS,
  type MarketCloseReason,
  type MarketFacts,
  type MarketResolution,
  makeTerms,
  ORDER_TERM_NAMES,
  ORDER_TERMS,
  type OrderAccepted,
  type OrderHash,
  type OrderStatus,
  type OrderTermName,
  type OrderTerms,
  type Outcome,
  type PermitSignature,
  type Price,
  type Side,
  type Size,
  sortKeys,
  type TradeSettlement,
  type TradeStage,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { type Fill, firstFillsOf, type MarketRecord, type OrderRecord, type TradeRecord } from './records.ts';

export type MarketLine = readonly [
  tag: 'market',
  closeReason: MarketCloseReason | null,
  step: number,
  tradeCount: number,
  updatedMs: number,
  facts: MarketFacts,
];

export type ResolutionLine = readonly [tag: 'resolution', resolution: MarketResolution];

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

type PermitFields = readonly [
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

export type MarketOfLine = Pick<MarketRecord, 'closeReason' | 'step' | 'tradeCount' | 'updatedMs' | 'facts'>;
export type OrderOfLine = Pick<
  OrderRecord,
  'accepted' | 'sequence' | 'filled' | 'status' | 'isNonceSpent' | 'firstStatus' | 'lastFirstFill'
>;

export function toMarketLine(market: MarketOfLine): MarketLine {
  const { closeReason, step, tradeCount, updatedMs, facts } = market;
  return ['market', closeReason ?? null, step, tradeCount, updatedMs, facts];
}

export function toResolutionLine(resolution: MarketResolution): ResolutionLine {
  return ['resolution', resolution];
}

/**
 * The text of an `OrderLine`, built by hand: nearly all lines of a checkpoint are orders, and none of their texts needs
 * escaping in JSON. `JSON.stringify` takes several times as long.
 */
export function toOrderText(record: OrderOfLine): string {
  const { accepted, sequence, filled, status, isNonceSpent, firstStatus } = record;
  const { orderHash, order, signature, terms, permit, step, timeMs } = accepted;
  const fills = record.lastFirstFill === undefined ? '' : firstFillsOf(record).map(toFillText).join(',');
  const permitText = permit === undefined ? 'null' : JSON.stringify(toPermitFields(permit));
  const termsText = terms === DEFAULT_TERMS ? DEFAULT_TERMS_TEXT : toTermsText(terms);
  return (
    `["order",["${orderHash}","${order.trader}",${order.side},${order.outcome},${order.price},${order.size},"${order.nonce}",` +
    `"${order.expiration}","${order.makerFeeRecipient}","${signature}",${termsText},${permitText}],` +
    `${step},${timeMs},${sequence},${filled},"${status}",${isNonceSpent},` +
    `"${firstStatus}",[${fills}]]`
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

function toFillText({ id, tradeId, price, size }: Fill): string {
  return `[${id},"${tradeId}",${price},${size}]`;
}

function toPermitFields({ nonce, value, deadline, v, r, s }: PermitSignature): PermitFields {
  return [nonce.toString(), value.toString(), deadline.toString(), v, r, s];
}

/** Reuses the market's strings, which many orders share, as `toKeptOrder` does. */
export function fromOrderLine(line: OrderLine, market: MarketRecord): OrderAccepted {
  const marketId = market.id;
  const [, signed, step, timeMs] = line;
  const [orderHash, trader, side, outcome, price, size, nonce, expiration, makerFeeRecipient, signature] = signed;
  const order = {
    marketId,
    trader: market.accounts.get(trader)?.trader ?? trader,
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
  const accepted = { type: 'order-accepted' as const, marketId, step, timeMs, orderHash, order, signature, terms };
  const permit = signed.at(-1);
  const hasPermit = typeof permit === 'object' && permit !== null;
  return hasPermit ? { ...accepted, permit: fromPermitFields(permit) } : accepted;
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

function fromPermitFields([nonce, value, deadline, v, r, s]: PermitFields): PermitSignature {
  return { nonce: BigInt(nonce), value: BigInt(value), deadline: BigInt(deadline), v, r, s };
}

/** Returns the last fill of the list. */
export function fromFillFields(fills: OrderLine[9]): Fill | undefined {
  let last: Fill | undefined;
  for (const [id, tradeId, price, size] of fills) last = { id, tradeId, price, size, previous: last };
  return last;
}

export function toTradeLine(trade: TradeRecord): TradeLine {
  const { fill, timeMs, maker, taker, stage, movedMs, settlement } = trade;
  const { id, tradeId, price, size } = fill;
  const hashes = [maker.accepted.orderHash, taker.accepted.orderHash] as const;
  const place = settlement === undefined ? null : sortKeys(settlement);
  return ['trade', id, tradeId, timeMs, maker.outcome, price, size, taker.side, ...hashes, stage, movedMs, place];
}
