// Reads of the leaderboard: volume and profit of wallets.
import type { Address, LeaderPeriod, MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, exact, integer, orNull, pick, toBytes } from '../columns.ts';
import { POSITIONS } from '../positions/position-rows.ts';
import { type BidsOf, toOpenValue } from '../users/valued-holding.ts';
import { PERIOD_SECONDS, startOfPeriod } from './leader-periods.ts';
import { WALLET_VOLUMES } from './wallet-volume-model.ts';

export interface LeadersQuery {
  readonly period: LeaderPeriod;
  readonly nowMs: number;
  readonly limit: number;
}

export type Leaders = Awaited<ReturnType<typeof listLeaders>>;

/** Highest volume first, then by address. Reads along an index, however many wallets there are. */
export async function listLeaders(sql: Sql, { period, nowMs, limit }: LeadersQuery) {
  const seconds = PERIOD_SECONDS[period];
  const since = startOfPeriod(nowMs, seconds);
  const rows = await sql`select * from presage_view.wallet_volumes
    where seconds = ${seconds} and start = ${since} and volume > 0 order by volume desc, wallet limit ${limit}`;
  return { since, rows: rows.map(WALLET_VOLUMES.read) };
}

/** All-time volume of one wallet. */
export async function sumWalletVolume(sql: Sql, wallet: Address) {
  const rows = await sql`select * from presage_view.wallet_volumes
    where seconds = 0 and start = 0 and wallet = ${toBytes(wallet)}`;
  const [row] = rows.map(WALLET_VOLUMES.read);
  return { volume: row?.volume ?? 0n, tradeCount: row?.tradeCount ?? 0 };
}

const CERTAIN = new Selection({ wallet: bytes<Address>(), pnl: exact() });
const OPEN = new Selection({
  ...pick(POSITIONS.columns, 'wallet', 'yesShares', 'noShares'),
  marketId: bytes<MarketId>(),
  lastYesPrice: orNull(integer()),
});

export interface ProfitsQuery {
  readonly wallets: readonly Address[];
  /** Bids of all other wallets. */
  readonly bidsOf: (wallet: Address) => BidsOf;
}

/** Profit of each wallet over all its markets, from its statistics; only open positions are read row by row. */
export async function sumProfits(sql: Sql, { wallets, bidsOf }: ProfitsQuery): Promise<Map<Address, bigint>> {
  const keys = sql.typed.byteas(wallets.map(toBytes));
  const [certain, open] = await Promise.all([
    sql`select p.wallet, sum(p.realized_pnl - p.yes_cost - p.no_cost + case when m.yes_payout is null then 0
        else div(greatest(p.yes_shares, 0) * m.yes_payout + greatest(p.no_shares, 0) * m.no_payout, m.payout_denominator) end) as pnl
      from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
      where p.wallet = any(${keys}) group by p.wallet`,
    sql`select p.wallet, p.yes_shares, p.no_shares, m.id as market_id,
        case when f.last_outcome = 0 then f.last_price else 1000000 - f.last_price end as last_yes_price
      from presage_view.positions p join presage_view.markets m on m.seq = p.market_seq
      left join presage_view.market_figures f on f.market_seq = p.market_seq
      where p.wallet = any(${keys}) and m.yes_payout is null and (p.yes_shares > 0 or p.no_shares > 0)`,
  ]);
  const profits = new Map(certain.map(CERTAIN.read).map(({ wallet, pnl }) => [wallet, pnl]));
  for (const row of open.map(OPEN.read)) {
    profits.set(row.wallet, (profits.get(row.wallet) ?? 0n) + toOpenValue(row, bidsOf(row.wallet)));
  }
  return profits;
}
