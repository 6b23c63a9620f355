// Reads all holdings of a wallet, present and past, by market, with what is needed to value them.
import type { Address } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { toBytes } from '../columns.ts';
import { type BidsOf, toHoldingRow, type ValuedHolding, valueHolding } from './valued-holding.ts';

export interface HoldingsQuery {
  readonly wallet: Address;
  /** All chains if undefined. */
  readonly chainId: number | undefined;
  /** Bids of other wallets, passed in because the view has no books. */
  readonly bidsOf: BidsOf;
}

/** Valued holdings in the order their markets were listed. */
export async function listHoldings(sql: Sql, { wallet, chainId, bidsOf }: HoldingsQuery): Promise<ValuedHolding[]> {
  const rows = await sql`select p.*, m.id as market_id, m.chain_id, m.question, m.contract_address, m.expiration,
      m.yes_payout, m.no_payout, m.payout_denominator, m.decided_ms,
      case when f.last_outcome = 0 then f.last_price else 1000000 - f.last_price end as last_yes_price
    from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
    left join presage_view.market_figures f on f.market_seq = p.market_seq
    where p.wallet = ${toBytes(wallet)} ${chainId === undefined ? sql`` : sql`and m.chain_id = ${chainId}`}
    order by m.listed_ms, p.market_seq`;
  return rows.map(toHoldingRow).map((row) => valueHolding(row, bidsOf));
}
