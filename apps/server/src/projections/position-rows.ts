// Statements over the tables of positions: what is loaded before a fold and written after it.
import type { Outcome, Price, Size, TradeStage } from '@presage/protocol';
import { BulkStatement, bytes, exact, insertInto, integer } from './bulk-statement.ts';
import { hexOfText, maybeNumber, type Wide } from './column-values.ts';
import type { Holding, Position } from './position-accounting.ts';
import type { FillFact, SyncFact } from './position-replay.ts';
import { minedAt, type Pair } from './view-rows.ts';

export interface PositionState extends Pair {
  position: Position;
  updatedMs: number;
}

export interface PairSync extends Pair, SyncFact {}

const PAIR = {
  wallet: bytes<Pair>((pair) => pair.wallet),
  market_seq: integer<Pair>((pair) => pair.marketSeq),
};

export const LOAD_POSITIONS = new BulkStatement<Pair>(
  PAIR,
  (source) => `select wallet::text, market_seq, p.yes_shares, p.no_shares, p.yes_cost, p.no_cost, p.yes_revenue,
    p.no_revenue, p.realized_pnl, p.updated_ms from ${source} join presage_view.positions p using (wallet, market_seq)`,
);

/** A position that is reckoned anew without a new fact keeps the time of its last one. */
export const UPSERT_POSITIONS = insertInto<PositionState>(
  'positions',
  {
    ...PAIR,
    yes_shares: exact((row) => row.position.yes.shares),
    no_shares: exact((row) => row.position.no.shares),
    yes_cost: exact((row) => row.position.yes.cost),
    no_cost: exact((row) => row.position.no.cost),
    yes_revenue: exact((row) => row.position.yes.revenue),
    no_revenue: exact((row) => row.position.no.revenue),
    realized_pnl: exact((row) => row.position.realizedPnl),
    updated_ms: integer((row) => row.updatedMs),
  },
  `on conflict (wallet, market_seq) do update set yes_shares = excluded.yes_shares, no_shares = excluded.no_shares,
    yes_cost = excluded.yes_cost, no_cost = excluded.no_cost, yes_revenue = excluded.yes_revenue,
    no_revenue = excluded.no_revenue, realized_pnl = excluded.realized_pnl,
    updated_ms = greatest(positions.updated_ms, excluded.updated_ms)`,
);

export const DELETE_POSITIONS = new BulkStatement<Pair>(
  PAIR,
  (source) => `delete from presage_view.positions p using ${source}
    where p.wallet = given.wallet and p.market_seq = given.market_seq`,
);

export const LOAD_SYNCS = new BulkStatement<Pair>(
  PAIR,
  (source) => `select wallet::text, market_seq, s.seq, s.block_number, s.yes_shares, s.no_shares from ${source}
    join presage_view.position_syncs s using (wallet, market_seq) order by s.seq`,
);

export const INSERT_SYNCS = insertInto<PairSync>('position_syncs', {
  ...PAIR,
  seq: integer((row) => row.seq),
  block_number: integer((row) => row.blockNumber),
  yes_shares: exact((row) => row.yesShares),
  no_shares: exact((row) => row.noShares),
});

export const DELETE_SYNCS = new BulkStatement<PairSync>(
  { ...PAIR, seq: integer((row) => row.seq) },
  (source) => `delete from presage_view.position_syncs s using ${source}
    where s.wallet = given.wallet and s.market_seq = given.market_seq and s.seq = given.seq`,
);

/** Side 0 is BUY: of a trade with oneself the sale comes first. */
export const LOAD_FILLS = new BulkStatement<Pair>(PAIR, (source) => {
  const fills = (wallet: string, side: number) => `select given.wallet::text, given.market_seq, ${side} as side, t.seq,
    t.outcome, t.price, t.size, t.stage, t.block_number, t.minted, t.mint from ${source}
    join presage_view.trades t on t.${wallet} = given.wallet and t.market_seq = given.market_seq
    where t.status <> 'failed'`;
  return `${fills('buyer', 0)} union all ${fills('seller', 1)} order by seq, side desc`;
});

export const UPDATE_MINTS = new BulkStatement<readonly [seq: number, mint: bigint]>(
  { seq: integer(([seq]) => seq), mint: integer(([, mint]) => mint) },
  (source) => `update presage_view.trades t set mint = given.mint from ${source} where t.seq = given.seq`,
);

export interface LoadedPosition {
  readonly wallet: string;
  readonly market_seq: Wide;
  readonly yes_shares: Wide;
  readonly no_shares: Wide;
  readonly yes_cost: Wide;
  readonly no_cost: Wide;
  readonly yes_revenue: Wide;
  readonly no_revenue: Wide;
  readonly realized_pnl: Wide;
  readonly updated_ms: Wide;
}

export function toPosition(row: LoadedPosition): Position {
  return {
    yes: toHolding(row.yes_shares, row.yes_cost, row.yes_revenue),
    no: toHolding(row.no_shares, row.no_cost, row.no_revenue),
    realizedPnl: BigInt(row.realized_pnl),
  };
}

function toHolding(shares: Wide, cost: Wide, revenue: Wide): Holding {
  return { shares: BigInt(shares), cost: BigInt(cost), revenue: BigInt(revenue) };
}

export interface LoadedSync {
  readonly wallet: string;
  readonly market_seq: Wide;
  readonly seq: Wide;
  readonly block_number: Wide;
  readonly yes_shares: Wide;
  readonly no_shares: Wide;
}

export function toPairSync(row: LoadedSync): PairSync {
  return {
    wallet: hexOfText(row.wallet),
    marketSeq: Number(row.market_seq),
    seq: Number(row.seq),
    blockNumber: Number(row.block_number),
    yesShares: BigInt(row.yes_shares),
    noShares: BigInt(row.no_shares),
  };
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
  readonly mint: Wide;
}

export function toFillFact(row: LoadedFill): FillFact {
  const block = minedAt({ stage: row.stage, blockNumber: maybeNumber(row.block_number) });
  const isMintKnown = block !== undefined && row.minted !== null;
  return {
    seq: Number(row.seq),
    side: row.side,
    outcome: row.outcome,
    price: row.price,
    size: Number(row.size) as Size,
    ...(block !== undefined && { minedAt: block }),
    ...(isMintKnown && { minted: BigInt(row.minted) }),
  };
}
