// Reads of the volume traded on each chain.
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { HOUR_SECONDS, MINUTE_SECONDS } from '../candles/candle-model.ts';
import { exact } from '../columns.ts';
import { CHAIN_FIGURES } from './figures-model.ts';
import { rollingDayBefore } from './rolling-day.ts';

export interface ChainFigures {
  /** Sum of the costs of all fills that have not failed. */
  readonly volume: bigint;
  /** Sum of the costs of such fills in the last day. */
  readonly volume24h: bigint;
  readonly tradeCount: number;
}

const FIGURES = new Selection({ ...CHAIN_FIGURES.columns, whole: exact(), part: exact() });

/** Figures of each chain that has a trade. Reads one day of hourly rows, however many markets and trades there are. */
export async function listChainFigures(sql: Sql, nowMs: number): Promise<Map<number, ChainFigures>> {
  const { sinceMs, firstMinute, firstHour } = rollingDayBefore(nowMs);
  const rows = await sql`select f.*, whole.volume as whole, part.volume as part from presage_view.chain_figures f
    cross join lateral (select coalesce(sum(volume), 0) as volume from presage_view.chain_volumes
      where chain_id = f.chain_id and (seconds = ${HOUR_SECONDS} and start >= ${firstHour}
        or seconds = ${MINUTE_SECONDS} and start >= ${firstMinute} and start < ${firstHour})) whole
    cross join lateral (select coalesce(sum(t.cost), 0) as volume from presage_view.chain_volumes v
      join presage_view.trades t on t.seq between v.first_seq and v.last_seq
        and mod(t.seq, (select count(*) from presage_view.meta)) = v.partition
      join presage_view.markets m on m.seq = t.market_seq and m.chain_id = v.chain_id
      where v.chain_id = f.chain_id and v.seconds = ${MINUTE_SECONDS} and v.start = ${firstMinute - MINUTE_SECONDS}
      and t.stage <> 'failed' and t.time_ms > ${sinceMs} and t.time_ms < ${firstMinute * 1_000}) part`;
  return new Map(
    rows.map(FIGURES.read).map(({ chainId, volume, whole, part, tradeCount }) => {
      return [chainId, { volume, volume24h: whole + part, tradeCount }];
    }),
  );
}
