// Reads of positions: a wallet's position in one market, and all its positions on a chain.
import type { Address, MarketId } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, pick, type RowOf, toBytes } from '../columns.ts';
import { MARKETS } from '../markets/market-rows.ts';
import { sharesHeld } from './position-accounting.ts';
import { POSITIONS } from './position-rows.ts';

const POSITION_ROWS = new Selection({ ...POSITIONS.columns, marketId: bytes<MarketId>() });
const MARKET_OF_POSITION = new Selection(pick(MARKETS.columns, 'question', 'contractAddress', 'expiration'));

export type PositionRow = RowOf<typeof POSITION_ROWS.columns> & {
  /** yesCost + noCost. */
  readonly totalInvested: bigint;
};

export type UserPositionRow = PositionRow &
  RowOf<typeof MARKET_OF_POSITION.columns> & {
    readonly isResolved: boolean;
  };

/** Undefined if the wallet never traded there and no shares were found on chain. */
export async function findPosition(sql: Sql, wallet: Address, marketId: MarketId): Promise<PositionRow | undefined> {
  const [row] = await sql`select p.*, m.id as market_id from presage_view.positions p
    join presage_view.markets m on m.seq = p.market_seq where p.wallet = ${toBytes(wallet)} and m.id = ${toBytes(marketId)}`;
  return row && toPositionRow(row);
}

/** Positions with shares, in the order their markets were listed. */
export async function listPositions(sql: Sql, wallet: Address, chainId: number): Promise<UserPositionRow[]> {
  const rows = await sql`select p.*, m.id as market_id, m.question, m.contract_address, m.expiration, m.yes_payout
    from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
    where p.wallet = ${toBytes(wallet)} and m.chain_id = ${chainId} and (p.yes_shares > 0 or p.no_shares > 0)
    order by m.listed_ms, p.market_seq`;
  return rows.map((row) => {
    return { ...toPositionRow(row), ...MARKET_OF_POSITION.read(row), isResolved: row.yes_payout !== null };
  });
}

function toPositionRow(row: Row): PositionRow {
  const position = POSITION_ROWS.read(row);
  return {
    ...position,
    yesShares: sharesHeld(position.yesShares),
    noShares: sharesHeld(position.noShares),
    totalInvested: position.yesCost + position.noCost,
  };
}
