// Compares every table of the view with the naive computation, row by row.
import type { OrderHash } from '@presage/protocol';
import { expect } from 'vitest';
import { listMarketFigures } from '../../src/projections/figures/figures-queries.ts';
import { listOrderLife, type OrderLifeEntry } from '../../src/projections/orders/order-life-queries.ts';
import { listSettlementFills } from '../../src/projections/trades/settlement-queries.ts';
import { selectTrades } from '../../src/projections/trades/trade-select.ts';
import type { Sql } from '../../src/store/column-types.ts';
import type { NaiveView } from './naive-view.ts';
import type { PlayedHistory } from './played-history.ts';

const hex = (bytes: Buffer | null) => (bytes === null ? null : `0x${bytes.toString('hex')}`);

export async function expectSameView(
  sql: Sql,
  { naive, history }: Pick<PlayedHistory, 'naive' | 'history'>,
): Promise<void> {
  const seed = `seed ${history.random.seed}`;
  expect(await orders(sql), `orders, ${seed}`).toEqual(naiveOrders(naive));
  expect(await trades(sql), `trades, ${seed}`).toEqual(naiveTrades(naive));
  await expectSamePositions(sql, naive, seed);
  const nowMs = history.clock.nowMs;
  const figures = await listMarketFigures(sql, nowMs, history.marketIds);
  for (const marketId of history.marketIds) {
    const expected = naive.figures(marketId, nowMs);
    expect(figures.get(marketId) ?? { ...expected, volume: 0n }, `figures, ${seed}`).toEqual(expected);
  }
  await expectSameSums(sql, seed);
  const hashes = [...naive.life.keys()];
  for (let n = 0; n < 50; n++) await expectSameLife(sql, naive, history.random.pick(hashes), seed);
  const sent = [...naive.sent.keys()];
  for (let n = 0; n < 20; n++) await expectSameSettlement(sql, naive, history.random.pick(sent), seed);
}

/** What is kept as running sums is what the rows add up to. */
async function expectSameSums(sql: Sql, note: string): Promise<void> {
  // A market of which nobody holds anything any more has a row of zeros, or none.
  const shares = await sql`select market_seq, yes_shares, no_shares from presage_view.market_shares
    where yes_shares <> 0 or no_shares <> 0 order by market_seq`;
  expect(shares, `shares, ${note}`).toEqual(
    await sql`select market_seq, sum(yes_shares) as yes_shares, sum(no_shares) as no_shares from presage_view.positions
      group by market_seq having sum(yes_shares) <> 0 or sum(no_shares) <> 0 order by market_seq`,
  );
  const figures = await sql`select chain_id, volume, trade_count from presage_view.chain_figures order by chain_id`;
  expect(figures, `chains, ${note}`).toEqual(
    await sql`select m.chain_id, sum(f.volume) as volume, sum(f.trade_count)::bigint as trade_count
      from presage_view.market_figures f join presage_view.markets m on m.seq = f.market_seq
      group by m.chain_id order by m.chain_id`,
  );
  await expectSameWalletVolumes(sql, note);
  for (const seconds of [60, 3_600]) {
    const slot = sql`time_ms / 1000 - time_ms / 1000 % ${seconds}::bigint`;
    const candles = await sql`select market_seq, outcome, start, first_seq, last_seq, open, high, low, close, volume
      from presage_view.candles where seconds = ${seconds} order by market_seq, outcome, start`;
    expect(candles, `candles, ${note}`).toEqual(
      await sql`select market_seq, outcome, ${slot} as start, min(seq) as first_seq, max(seq) as last_seq,
        (min(array[seq, price]))[2]::integer as open, max(price) as high, min(price) as low,
        (max(array[seq, price]))[2]::integer as close, sum(cost) as volume
        from presage_view.trades where stage <> 'failed' group by 1, 2, 3 order by 1, 2, 3`,
    );
    const volumes = await sql`select chain_id, start, sum(volume) as volume from presage_view.chain_volumes
      where seconds = ${seconds} and volume <> 0 group by chain_id, start order by chain_id, start`;
    expect(volumes, `volumes, ${note}`).toEqual(
      await sql`select m.chain_id, ${slot} as start, sum(t.cost) as volume from presage_view.trades t
        join presage_view.markets m on m.seq = t.market_seq where t.stage <> 'failed' group by 1, 2 order by 1, 2`,
    );
  }
}

/** Each trade counts for both its wallets, and as a trade without volume for one that traded with itself. Weeks of PostgreSQL begin on Monday, too. */
async function expectSameWalletVolumes(sql: Sql, note: string): Promise<void> {
  for (const [seconds, period] of [
    [86_400, 'day'],
    [604_800, 'week'],
    [0, ''],
  ] as const) {
    const moment = sql`to_timestamp(time_ms / 1000) at time zone 'utc'`;
    const start = period === '' ? sql`0::bigint` : sql`extract(epoch from date_trunc(${period}, ${moment}))::bigint`;
    const kept = await sql`select start, wallet, volume, trade_count from presage_view.wallet_volumes
      where seconds = ${seconds} and trade_count <> 0 order by start, wallet`;
    expect(kept, `wallets, ${note}`).toEqual(
      await sql`select ${start} as start, wallet, sum(cost) as volume, count(*) as trade_count from (
          select buyer as wallet, case when seller = buyer then 0 else cost end as cost, time_ms
            from presage_view.trades where stage <> 'failed'
          union all select seller, cost, time_ms from presage_view.trades where stage <> 'failed' and seller <> buyer
        ) each_way group by 1, 2 order by 1, 2`,
    );
  }
}

export async function expectSamePositions(sql: Sql, naive: NaiveView, note: string): Promise<void> {
  expect(await positions(sql), `positions, ${note}`).toEqual(naivePositions(naive));
}

async function orders(sql: Sql) {
  const rows = await sql`select * from presage_view.orders order by seq`;
  return rows.map((row) => [
    hex(row.hash),
    { seq: Number(row.seq), size: Number(row.size), filled: Number(row.filled), status: row.status, ...ending(row) },
  ]);
}

function ending(row: Record<string, unknown>) {
  return { cancelReason: row.cancel_reason, updatedMs: Number(row.updated_ms) };
}

function naiveOrders(naive: NaiveView) {
  return [...naive.orders].sort(([, a], [, b]) => a.seq - b.seq);
}

async function trades(sql: Sql) {
  const rows = await sql`${selectTrades(sql)} order by t.seq`;
  return rows.map((row) => [
    row.trade_id,
    row.seq,
    row.stage,
    row.status,
    hex(row.buyer),
    hex(row.seller),
    row.cost,
    hex(row.tx_hash),
    row.attempts,
    row.block_number,
    row.minted,
    row.reason,
    row.fault_party,
    row.failed_ms,
  ]);
}

function naiveTrades(naive: NaiveView) {
  const wide = (value: number | null) => (value === null ? null : BigInt(value));
  const inOrder = [...naive.trades].sort(([, a], [, b]) => a.seq - b.seq);
  return inOrder.map(([tradeId, t]) => {
    const { takerSide, taker, maker, price, size } = t.event;
    const parties = takerSide === 0 ? [taker, maker] : [maker, taker];
    const cost = (BigInt(price) * BigInt(size) + 999_999n) / 1_000_000n;
    const status = t.stage === 'confirmed' || t.stage === 'failed' ? t.stage : 'pending';
    const chain = [t.txHash, t.attempts, wide(t.block), t.minted];
    const failure = [t.reason, t.faultParty, wide(t.failedMs)];
    return [tradeId, BigInt(t.seq), t.stage, status, ...parties, cost, ...chain, ...failure];
  });
}

async function positions(sql: Sql) {
  const rows = await sql`select p.*, m.id from presage_view.positions p
    join presage_view.markets m on m.seq = p.market_seq`;
  const named = rows.map((row): [string, unknown[]] => {
    const yes = [row.yes_shares, row.yes_cost, row.yes_revenue];
    return [
      `${hex(row.wallet)}/${hex(row.id)}`,
      [...yes, row.no_shares, row.no_cost, row.no_revenue, row.realized_pnl],
    ];
  });
  return named.sort(byName);
}

function naivePositions(naive: NaiveView) {
  return [...naive.positions()].sort(byName);
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

async function expectSameLife(sql: Sql, naive: NaiveView, hash: OrderHash, seed: string): Promise<void> {
  const moments = (await listOrderLife(sql, hash)) ?? [];
  expect(moments.map(inWords), `life of ${hash}, ${seed}`).toEqual(naive.life.get(hash));
}

function inWords(moment: OrderLifeEntry): string {
  switch (moment.type) {
    case 'accepted':
      return `${moment.seq} accepted`;
    case 'filled':
      return `${moment.seq} filled ${moment.tradeId}`;
    case 'cancelled':
      return `${moment.seq} cancelled ${moment.reason} ${moment.remainingSize}`;
    case 'restored':
      return `${moment.seq} restored ${moment.tradeId} ${moment.size}`;
    case 'permit':
      return `${moment.seq} permit ${moment.status} ${moment.txHash ?? '-'} ${moment.reason ?? '-'}`;
    default: {
      const why = moment.reason === null ? '' : ` ${moment.faultParty} ${moment.reason}`;
      return `${moment.seq} ${moment.type} ${moment.tradeId} ${moment.txHash ?? '-'}${why}`;
    }
  }
}

async function expectSameSettlement(sql: Sql, naive: NaiveView, txHash: string, seed: string): Promise<void> {
  const fills = await listSettlementFills(sql, txHash as `0x${string}`);
  const found = fills.map(({ trade, isCurrent }) => [trade.tradeId, trade.stage, isCurrent]);
  const expected = [...naive.sent.get(txHash)!].map((tradeId) => {
    const trade = naive.trades.get(tradeId)!;
    return [tradeId, trade.stage, trade.txHash === txHash];
  });
  expect(found.sort(), `settlement ${txHash}, ${seed}`).toEqual(expected.sort());
}
