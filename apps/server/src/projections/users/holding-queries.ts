// Reads all that a wallet holds or ever held, market by market, with what is needed to value it.
import type { Address, BestPrices, MarketId } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, maybeNumber, toBytes } from '../column-values.ts';
import { sharesHeld } from '../positions/position-accounting.ts';
import { type HoldingRow, type ValuedHolding, valueHolding } from './valued-holding.ts';

export interface HoldingsQuery {
  readonly wallet: Address;
  /** All chains when undefined. */
  readonly chainId: number | undefined;
  /** The books are not the view's: the caller brings their best prices. */
  readonly bestOf: (marketId: MarketId) => BestPrices;
}

/** In the order the markets were listed, at what they are worth. */
export async function listHoldings(sql: Sql, { wallet, chainId, bestOf }: HoldingsQuery): Promise<ValuedHolding[]> {
  const rows = await sql`select p.*, m.id as market_id, m.chain_id, m.question, m.contract_address, m.expiration,
      m.yes_payout, m.no_payout, m.decided_ms,
      case when f.last_outcome = 0 then f.last_price else 1000000 - f.last_price end as last_yes_price
    from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
    left join presage_view.market_figures f on f.market_seq = p.market_seq
    where p.wallet = ${toBytes(wallet)} ${chainId === undefined ? sql`` : sql`and m.chain_id = ${chainId}`}
    order by m.listed_ms, p.market_seq`;
  return rows.map(toHoldingRow).map((row) => valueHolding(row, bestOf(row.marketId)));
}

function toHoldingRow(row: Row): HoldingRow {
  return {
    marketId: hexOf(row.market_id),
    marketSeq: Number(row.market_seq),
    chainId: Number(row.chain_id),
    question: row.question,
    contractAddress: hexOf(row.contract_address),
    expiration: Number(row.expiration),
    yesShares: sharesHeld(BigInt(row.yes_shares)),
    noShares: sharesHeld(BigInt(row.no_shares)),
    yesCost: BigInt(row.yes_cost),
    noCost: BigInt(row.no_cost),
    revenue: BigInt(row.yes_revenue) + BigInt(row.no_revenue),
    realizedPnl: BigInt(row.realized_pnl),
    payouts: row.yes_payout === null ? undefined : { yes: row.yes_payout, no: row.no_payout },
    decidedMs: maybeNumber(row.decided_ms),
    lastYesPrice: row.last_yes_price ?? 0,
    updatedMs: Number(row.updated_ms),
  };
}
