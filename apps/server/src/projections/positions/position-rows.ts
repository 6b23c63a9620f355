// The tables of positions: their columns and statements.
import { type Address, BUY, SELL, type Side } from '@presage/protocol';
import { BulkQuery, Selection } from '../bulk-statement.ts';
import { bytes, exact, integer, pick, type RowOf } from '../columns.ts';
import { highest, Table } from '../table.ts';
import { minedAt, TRADES } from '../trades/trade-rows.ts';
import { feesOfSide, type Position } from './position-accounting.ts';
import type { FillFact } from './position-replay.ts';

/** Key of a position: a wallet in a market. */
export const PAIR = { wallet: bytes<Address>(), marketSeq: integer() };
export type Pair = RowOf<typeof PAIR>;

export function toPairKey(wallet: Address, marketSeq: number): string {
  return `${wallet}/${marketSeq}`;
}

const HELD = {
  yesShares: exact(),
  noShares: exact(),
  yesCost: exact(),
  noCost: exact(),
  yesRevenue: exact(),
  noRevenue: exact(),
  realizedPnl: exact(),
};
type Held = RowOf<typeof HELD>;

export const POSITIONS = new Table('positions', { ...PAIR, ...HELD, updatedMs: integer() });

/** The result of all facts up to a sequence. */
export const KEYFRAMES = new Table('position_keyframes', {
  ...PAIR,
  ...HELD,
  seq: integer(),
  /** Highest block of its trades, all confirmed, and of the share events among them. */
  blockNumber: integer(),
});
export type Keyframe = RowOf<typeof KEYFRAMES.columns>;

export interface PositionState extends Pair {
  position: Position;
  updatedMs: number;
}

/** A position to recompute. */
export interface StalePosition extends Pair {
  /** Time of the newest fact, or 0. */
  readonly updatedMs: number;
  /** Sequence of the oldest changed fact. */
  readonly fromSeq: number;
}

const KEY = ['wallet', 'marketSeq'] as const;

export const LOAD_POSITIONS = POSITIONS.load(...KEY);
export const INSERT_POSITIONS = POSITIONS.insert();
/** A position recomputed without a new fact keeps its time. */
export const UPSERT_POSITIONS = POSITIONS.upsert(KEY, { updatedMs: highest });
export const DELETE_POSITIONS = POSITIONS.delete(...KEY);

export const LOAD_KEYFRAMES = KEYFRAMES.load(...KEY);
export const UPSERT_KEYFRAMES = KEYFRAMES.upsert(KEY);
export const DELETE_KEYFRAMES = KEYFRAMES.delete(...KEY);

const COUNTED = new Table('trades', pick(TRADES.columns, 'seq', 'countedMinted'));
export const LOAD_COUNTED_MINTED = COUNTED.load('seq');
export const UPDATE_COUNTED_MINTED = COUNTED.update('seq', ['countedMinted']);

const FILLS = new Table(
  'trades',
  pick(
    TRADES.columns,
    ...(['seq', 'outcome', 'price', 'size', 'stage', 'blockNumber', 'minted', 'countedMinted'] as const),
    ...(['takerSide', 'fee', 'makerRebate', 'timeMs'] as const),
  ),
);
const SIDED_FILLS = new Selection({ ...PAIR, side: integer<Side>(), ...FILLS.columns });
export type Fill = RowOf<typeof SIDED_FILLS.columns>;

/** Fills after a sequence, in order; in a trade with oneself the sale comes first. */
export const LOAD_FILLS = new BulkQuery({ ...PAIR, afterSeq: integer() }, SIDED_FILLS, (source) => {
  const fills = (
    party: 'buyer' | 'seller',
    side: Side,
  ) => `select given.wallet::text, given.market_seq, ${side} as side,
    ${FILLS.list('t')} from ${source} join presage_view.trades t
    on t.${party} = given.wallet and t.market_seq = given.market_seq and t.seq > given.after_seq
    where t.stage <> 'failed'`;
  return `${fills('buyer', BUY)} union all ${fills('seller', SELL)} order by seq, side desc`;
});

export function toHeld({ yes, no, realizedPnl }: Position): Held {
  return {
    yesShares: yes.shares,
    noShares: no.shares,
    yesCost: yes.cost,
    noCost: no.cost,
    yesRevenue: yes.revenue,
    noRevenue: no.revenue,
    realizedPnl,
  };
}

export type PositionRow = RowOf<typeof POSITIONS.columns>;

export function toPositionRow({ wallet, marketSeq, position, updatedMs }: PositionState): PositionRow {
  return { wallet, marketSeq, ...toHeld(position), updatedMs };
}

export function toPosition(held: Held): Position {
  return {
    yes: { shares: held.yesShares, cost: held.yesCost, revenue: held.yesRevenue },
    no: { shares: held.noShares, cost: held.noCost, revenue: held.noRevenue },
    realizedPnl: held.realizedPnl,
  };
}

export function toFillFact(fill: Fill): FillFact {
  const { seq, side, outcome, price, size, minted } = fill;
  const block = minedAt(fill);
  return {
    seq,
    side,
    outcome,
    price,
    size,
    ...(block !== undefined && { minedAt: block }),
    ...(block !== undefined && minted !== null && { minted }),
    ...feesOfSide(side, fill),
  };
}
