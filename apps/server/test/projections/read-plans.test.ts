// No read goes through a whole table: where scans are discouraged, the database finds an index for every query of the views.
import { type Address, type MarketId, type OrderHash, type TransactionHash, YES } from '@presage/protocol';
import { seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hexOf } from '../../src/projections/columns.ts';
import { QUERIES, type Views } from '../../src/projections/views.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { PlayedHistory } from './played-history.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

/** One row a chain. */
const SMALL = ['chain_figures'];

const fixture = new ViewFixture();
let sql: Sql;
let nowMs: number;
let marketId: MarketId;
let wallet: Address;
let orderHash: OrderHash;
let txHash: TransactionHash;

beforeAll(async () => {
  const params = { orders: 600, wallets: 20, markets: 5, failures: 0.05, syncs: 0.02 };
  const played = new PlayedHistory({ seed: seedFromEnv(7), ...params });
  const log = await fixture.openLog();
  await appendAll(log, played.play());
  sql = (await fixture.openStore()).sql;
  await fixture.openProjector({ source: log, sql }).start();
  nowMs = played.history.clock.nowMs;
  marketId = played.history.marketIds[0] as MarketId;
  orderHash = [...played.naive.life.keys()][0] as OrderHash;
  txHash = [...played.naive.sent.keys()][0] as TransactionHash;
  const [row] = await sql`select wallet from presage_view.positions limit 1`;
  wallet = hexOf(row?.wallet);
});
afterAll(() => fixture.close());

type Terms<Name extends keyof Views> = () => Parameters<Views[Name]>;

/** What each query is asked: a new one does not compile until it has an entry. */
const ASKED: { readonly [Name in keyof Views]: Terms<Name> } = {
  listCandles: () => [{ marketId, outcome: YES, isFolded: true, seconds: 86_400, limit: 100 }],
  listPendingClaims: () => [100],
  listFailedClaims: () => [100],
  listUserPayouts: () => [{ wallet, chainId: 31_337, limit: 50 }],
  listExportedTrades: () => [{ fromMs: 0, toMs: nowMs, wallet, limit: 50, afterSeq: 0 }],
  listExportedClaims: () => [{ fromMs: 0, toMs: nowMs, wallet: undefined, limit: 50, after: { timestamp: 0, seq: 0 } }],
  listExportedPositions: () => [
    { fromMs: 0, toMs: nowMs, wallet: undefined, limit: 50, after: { wallet, marketSeq: 0 } },
  ],
  listMarketFigures: () => [nowMs, [marketId]],
  listChainFigures: () => [nowMs],
  listRevenue: () => [{ fromMs: nowMs - 86_400_000, toMs: nowMs, limit: 50 }],
  listMarketShares: () => [undefined, 10],
  listEventShares: () => [undefined, 10],
  sumMarketShares: () => [],
  listLeaders: () => [{ period: 'all', nowMs, limit: 50 }],
  sumWalletVolume: () => [wallet],
  sumProfits: () => [{ wallets: [wallet], bidsOf: () => () => [] }],
  listSparklines: () => [nowMs, [marketId]],
  findMarket: () => [marketId],
  listOrderLife: () => [orderHash],
  findOrder: () => [orderHash],
  listRecentOrders: () => [nowMs, { trader: wallet, status: 'filled', limit: 100 }],
  listHolders: () => [marketId, 10],
  findPosition: () => [wallet, marketId],
  listPositions: () => [wallet, 31_337],
  listSettlementFills: () => [txHash],
  listTrades: () => [marketId, 50],
  listPendingTrades: () => [50],
  listFailedTrades: () => [nowMs, 50],
  listHoldings: () => [{ wallet, chainId: undefined, bidsOf: () => [] }],
  listPnlPoints: () => [{ wallet, holdings: [], nowMs, sinceMs: nowMs - 86_400_000 }],
  sumTraded: () => [wallet, nowMs - 86_400_000],
  listUserConversions: () => [{ wallet, chainId: 31_337, limit: 50 }],
  listUserTrades: () => [{ wallet, chainId: 31_337, limit: 50 }],
};

it.each(Object.keys(ASKED) as (keyof Views)[])('%s', async (name) => {
  const query = QUERIES[name] as (sql: Sql, ...terms: unknown[]) => Promise<unknown>;
  const scanned = await sql.begin(async (transaction) => {
    await transaction`set local enable_seqscan = off`;
    const before = await countScans(transaction as unknown as Sql);
    await query(transaction as unknown as Sql, ...ASKED[name]());
    const after = await countScans(transaction as unknown as Sql);
    return [...after].filter(([table, scans]) => scans > (before.get(table) ?? 0)).map(([table]) => table);
  });
  expect(scanned.filter((table) => !SMALL.includes(table))).toEqual([]);
});

/** Counts of this connection; what it did before may not be counted elsewhere yet. */
async function countScans(connection: Sql): Promise<Map<string, number>> {
  const rows =
    await connection`select relname, seq_scan from pg_stat_xact_user_tables where schemaname = 'presage_view'`;
  return new Map(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
}
