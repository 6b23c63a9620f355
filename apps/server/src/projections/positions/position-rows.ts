// Statements over the tables of positions: what is loaded before a fold and written after it.
import type { Outcome, Price, Size, TradeStage } from '@presage/protocol';
import { BulkStatement, bytes, exact, insertInto, integer } from '../bulk-statement.ts';
import { hexOfText, maybeNumber, type Wide } from '../column-values.ts';
import { minedAt } from '../trades/trade-rows.ts';
import type { Holding, Position } from './position-accounting.ts';
import type { Pair } from './position-key.ts';
import type { FillFact } from './position-replay.ts';

export interface PositionState extends Pair {
  position: Position;
  updatedMs: number;
}

/** To be computed anew. */
export interface StalePosition extends Pair {
  /** Of the last new fact, or 0. */
  readonly updatedMs: number;
  /** The oldest fact that is another. */
  readonly fromSeq: number;
}

/** What all facts up to a sequence came to. */
export interface Keyframe extends Pair {
  readonly seq: number;
  /** The highest block of its trades, all of which are confirmed, and of what the chain said among them. */
  readonly blockNumber: number;
  readonly position: Position;
}

const PAIR = {
  wallet: bytes<Pair>((pair) => pair.wallet),
  market_seq: integer<Pair>((pair) => pair.marketSeq),
};

export const LOAD_POSITIONS = new BulkStatement<Pair>(
  PAIR,
  (source) => `select wallet::text, market_seq, p.yes_shares, p.no_shares, p.yes_cost, p.no_cost, p.yes_revenue,
    p.no_revenue, p.realized_pnl, p.updated_ms from ${source} join presage_view.positions p using (wallet, market_seq)`,
);

const PARTS = {
  yes_shares: exact<{ position: Position }>(({ position }) => position.yes.shares),
  no_shares: exact<{ position: Position }>(({ position }) => position.no.shares),
  yes_cost: exact<{ position: Position }>(({ position }) => position.yes.cost),
  no_cost: exact<{ position: Position }>(({ position }) => position.no.cost),
  yes_revenue: exact<{ position: Position }>(({ position }) => position.yes.revenue),
  no_revenue: exact<{ position: Position }>(({ position }) => position.no.revenue),
  realized_pnl: exact<{ position: Position }>(({ position }) => position.realizedPnl),
};
const SET_PARTS = Object.keys(PARTS)
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

/** A position that is computed anew without a new fact keeps the time of its last one. */
export const UPSERT_POSITIONS = insertInto<PositionState>(
  'positions',
  { ...PAIR, ...PARTS, updated_ms: integer((row) => row.updatedMs) },
  `on conflict (wallet, market_seq) do update set ${SET_PARTS},
    updated_ms = greatest(positions.updated_ms, excluded.updated_ms)`,
);

export const LOAD_KEYFRAMES = new BulkStatement<Pair>(
  PAIR,
  (source) => `select wallet::text, market_seq, k.seq, k.block_number, ${Object.keys(PARTS).join(', ')} from ${source}
    join presage_view.position_keyframes k using (wallet, market_seq)`,
);

export const UPSERT_KEYFRAMES = insertInto<Keyframe>(
  'position_keyframes',
  { ...PAIR, ...PARTS, seq: integer((row) => row.seq), block_number: integer((row) => row.blockNumber) },
  `on conflict (wallet, market_seq) do update set ${SET_PARTS}, seq = excluded.seq, block_number = excluded.block_number`,
);

export const DELETE_KEYFRAMES = new BulkStatement<Pair>(
  PAIR,
  (source) => `delete from presage_view.position_keyframes k using ${source}
    where k.wallet = given.wallet and k.market_seq = given.market_seq`,
);

export const DELETE_POSITIONS = new BulkStatement<Pair>(
  PAIR,
  (source) => `delete from presage_view.positions p using ${source}
    where p.wallet = given.wallet and p.market_seq = given.market_seq`,
);

/** Side 0 is BUY: of a trade with oneself the sale comes first. */
export const LOAD_FILLS = new BulkStatement<Pair & { readonly afterSeq: number }>(
  { ...PAIR, after_seq: integer((row) => row.afterSeq) },
  (source) => {
    const fills = (
      wallet: string,
      side: number,
    ) => `select given.wallet::text, given.market_seq, ${side} as side, t.seq,
    t.outcome, t.price, t.size, t.stage, t.block_number, t.minted, t.counted_minted from ${source}
    join presage_view.trades t
    on t.${wallet} = given.wallet and t.market_seq = given.market_seq and t.seq > given.after_seq
    where t.status <> 'failed'`;
    return `${fills('buyer', 0)} union all ${fills('seller', 1)} order by seq, side desc`;
  },
);

export interface LoadedCount {
  readonly seq: Wide;
  readonly counted_minted: Wide;
}

export const LOAD_COUNTED_MINTED = new BulkStatement<number>(
  { seq: integer((seq) => seq) },
  (source) => `select t.seq, t.counted_minted from ${source} join presage_view.trades t using (seq)`,
);

export const UPDATE_COUNTED_MINTED = new BulkStatement<readonly [seq: number, minted: bigint]>(
  { seq: integer(([seq]) => seq), counted_minted: integer(([, minted]) => minted) },
  (source) => `update presage_view.trades t set counted_minted = given.counted_minted from ${source}
    where t.seq = given.seq`,
);

interface LoadedParts {
  readonly wallet: string;
  readonly market_seq: Wide;
  readonly yes_shares: Wide;
  readonly no_shares: Wide;
  readonly yes_cost: Wide;
  readonly no_cost: Wide;
  readonly yes_revenue: Wide;
  readonly no_revenue: Wide;
  readonly realized_pnl: Wide;
}

export interface LoadedPosition extends LoadedParts {
  readonly updated_ms: Wide;
}

export interface LoadedKeyframe extends LoadedParts {
  readonly seq: Wide;
  readonly block_number: Wide;
}

export function toKeyframe(row: LoadedKeyframe): Keyframe {
  return {
    wallet: hexOfText(row.wallet),
    marketSeq: Number(row.market_seq),
    seq: Number(row.seq),
    blockNumber: Number(row.block_number),
    position: toPosition(row),
  };
}

export function toPosition(row: LoadedParts): Position {
  return {
    yes: toHolding(row.yes_shares, row.yes_cost, row.yes_revenue),
    no: toHolding(row.no_shares, row.no_cost, row.no_revenue),
    realizedPnl: BigInt(row.realized_pnl),
  };
}

function toHolding(shares: Wide, cost: Wide, revenue: Wide): Holding {
  return { shares: BigInt(shares), cost: BigInt(cost), revenue: BigInt(revenue) };
}

export interface LoadedFill {
  readonly wallet: string;
  readonly market_seq: Wide;
  readonly side: 0 | 1;
  readonly seq: Wide;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Wide;
  readonly stage: TradeStage;
  readonly block_number: Wide | null;
  readonly minted: Wide | null;
  readonly counted_minted: Wide;
}

export function toFillFact(row: LoadedFill): FillFact {
  const block = minedAt({ stage: row.stage, blockNumber: maybeNumber(row.block_number) });
  const isMintedKnown = block !== undefined && row.minted !== null;
  return {
    seq: Number(row.seq),
    side: row.side,
    outcome: row.outcome,
    price: row.price,
    size: Number(row.size) as Size,
    ...(block !== undefined && { minedAt: block }),
    ...(isMintedKnown && { minted: BigInt(row.minted) }),
  };
}
