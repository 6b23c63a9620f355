// Views of an engine's state: copies, never its own records.
import type {
  Address,
  FillFees,
  MarketId,
  OrderHash,
  OrderStatus,
  Outcome,
  Price,
  Side,
  SignedOrder,
  Size,
  TradeSettlement,
  TradeStage,
} from '@presage/protocol/engine-types';
import { buyerOf, sellerOf } from './decide-trade.ts';
import type { EngineState } from './engine-state.ts';
import { toTradeId } from './records.ts';
import { toStatus } from './slabs/order-slab.ts';
import { toStage } from './slabs/trade-slab.ts';
import { feesOf } from './trade-fees.ts';

export interface OrderView {
  readonly signed: SignedOrder;
  readonly status: OrderStatus;
  readonly filledSize: number;
  /** Size on the book while open; for a final order, the part that was never filled. */
  readonly remainingSize: number;
  readonly acceptedMs: number;
  readonly acceptedStep: number;
  /** Time priority over the partition. */
  readonly sequence: number;
}

export interface TradeView extends FillFees {
  /** Unique in the service, and growing with the time of the match. */
  readonly id: number;
  readonly tradeId: string;
  readonly marketId: MarketId;
  readonly timeMs: number;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly takerSide: Side;
  readonly makerHash: OrderHash;
  readonly takerHash: OrderHash;
  readonly buyer: Address;
  readonly seller: Address;
  readonly stage: TradeStage;
  readonly movedMs: number;
  readonly settlement?: TradeSettlement;
}

export function toOrderView(state: EngineState, order: number): OrderView {
  const { orders, signed } = state;
  return {
    signed: toSignedOrder(state, order),
    status: toStatus(orders.status(order)),
    filledSize: orders.filled(order),
    remainingSize: state.unfilledOf(order),
    acceptedMs: signed.timeMs(order),
    acceptedStep: signed.step(order),
    sequence: orders.sequence(order),
  };
}

function toSignedOrder(state: EngineState, order: number): SignedOrder {
  const { orders, accounts, signed } = state;
  const fields: Required<SignedOrder['order']> = {
    marketId: state.marketOf(order).id,
    trader: accounts.trader(orders.account(order)),
    side: orders.side(order),
    outcome: orders.outcome(order),
    // Orders only hold valid prices and sizes.
    price: orders.price(order) as Price,
    size: signed.size(order) as Size,
    nonce: signed.nonce(order),
    expiration: signed.expiration(order),
    makerFeeRecipient: signed.makerFeeRecipient(order),
  };
  const permit = signed.permit(order);
  const view: Required<Omit<SignedOrder, 'permit'>> = {
    orderHash: signed.hash(order),
    order: fields,
    signature: signed.signature(order),
    terms: signed.terms(order),
  };
  return permit === undefined ? view : { ...view, permit };
}

/** Progress of a trade. */
export type TradeBrief = Pick<TradeView, 'timeMs' | 'stage' | 'settlement'>;

export function toTradeBrief({ trades }: EngineState, trade: number): TradeBrief {
  const brief = { timeMs: trades.timeMs(trade), stage: toStage(trades.stage(trade)) };
  const settlement = trades.settlements[trade];
  return settlement === undefined ? brief : { ...brief, settlement };
}

export function toTradeView(state: EngineState, trade: number): TradeView {
  const { orders, accounts, signed, trades } = state;
  const [maker, taker] = [trades.maker(trade), trades.taker(trade)];
  const market = state.marketOf(maker);
  const view = {
    id: trades.id(trade),
    tradeId: toTradeId(market, trades.count(trade)),
    marketId: market.id,
    timeMs: trades.timeMs(trade),
    outcome: orders.outcome(maker),
    // Trades only hold valid prices and sizes.
    price: trades.price(trade) as Price,
    size: trades.fillSize(trade) as Size,
    takerSide: orders.side(taker),
    makerHash: signed.hash(maker),
    takerHash: signed.hash(taker),
    buyer: accounts.trader(orders.account(buyerOf(state, trade))),
    seller: accounts.trader(orders.account(sellerOf(state, trade))),
    stage: toStage(trades.stage(trade)),
    movedMs: trades.movedMs(trade),
    ...feesOf(market, trades.price(trade), trades.fillSize(trade)),
  };
  const settlement = trades.settlements[trade];
  return settlement === undefined ? view : { ...view, settlement };
}
