// The view's version follows from the code that fills it and from its tables; statements and tables name the same columns.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ADD_CANDLES } from '../../src/projections/candles/candle-model.ts';
import { UPSERT_CLAIMS } from '../../src/projections/claims/claim-model.ts';
import { ADD_CHAIN_FIGURES, ADD_CHAIN_VOLUMES, ADD_FIGURES } from '../../src/projections/figures/figures-model.ts';
import { FOLD_HASH } from '../../src/projections/fold-hash.built.ts';
import { hashFold } from '../../src/projections/fold-hash.ts';
import { INSERT_MARKETS } from '../../src/projections/markets/market-model.ts';
import { INSERT_CHANGES, INSERT_ORDERS } from '../../src/projections/orders/order-rows.ts';
import { UPSERT_KEYFRAMES, UPSERT_POSITIONS } from '../../src/projections/positions/position-rows.ts';
import { INSERT_EVENTS } from '../../src/projections/positions/share-event-rows.ts';
import {
  INSERT_MOVES,
  INSERT_PENDING,
  INSERT_TRADES,
  INSERT_TRANSACTIONS,
} from '../../src/projections/trades/trade-rows.ts';
import { loadViewSchema } from '../../src/store/schema.ts';

const projections = (file: string) => new URL(`../../src/projections/${file}`, import.meta.url).pathname;

describe('the hash of the fold', () => {
  it('is the same each time it is made of the same code', async () => {
    expect(await hashFold()).toBe(FOLD_HASH);
    expect(FOLD_HASH).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['a model', 'orders/order-model.ts', "'expired' ? 'expired'", "'expired' ? 'cancelled'"],
    ['a statement', 'figures/figures-model.ts', 'order by t.time_ms desc', 'order by t.time_ms asc'],
    ['a rule that models call', 'positions/position-accounting.ts', 'minted - mintedProceeds', 'minted'],
    ['a rule of the protocol', '../../../../packages/protocol/src/core/units.ts', '(rest > 0 ? 1 : 0)', '0'],
    [
      'an upgrade of records',
      '../../../../packages/protocol/src/records/record-upgrades.ts',
      'issuedAt: ts',
      'issuedAt: 0',
    ],
  ])('is another when %s is changed', async (_what, file, from, to) => {
    const path = projections(file);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(from);
    expect(await hashFold({ path, text: text.replace(from, to) })).not.toBe(FOLD_HASH);
  });

  it.each([
    ['a comment', 'orders/order-model.ts', '// Read model of orders', '// The read model of orders'],
    ['a query', 'orders/order-queries.ts', 'where o.hash', 'where  o.hash'],
  ])('is the same when %s is changed', async (_what, file, from, to) => {
    const path = projections(file);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(from);
    expect(await hashFold({ path, text: text.replace(from, to) })).toBe(FOLD_HASH);
  });
});

describe('the columns of a table', () => {
  const { sql } = loadViewSchema();
  /** Set by later records alone. */
  const LATER: Readonly<Record<string, readonly string[]>> = {
    markets: ['closed_reason', 'closed_ms', 'yes_payout', 'no_payout', 'decided_ms'],
  };
  const STATEMENTS = {
    markets: INSERT_MARKETS,
    market_figures: ADD_FIGURES,
    candles: ADD_CANDLES,
    chain_figures: ADD_CHAIN_FIGURES,
    chain_volumes: ADD_CHAIN_VOLUMES,
    orders: INSERT_ORDERS,
    order_changes: INSERT_CHANGES,
    trades: INSERT_TRADES,
    pending_trades: INSERT_PENDING,
    trade_moves: INSERT_MOVES,
    trade_transactions: INSERT_TRANSACTIONS,
    positions: UPSERT_POSITIONS,
    position_keyframes: UPSERT_KEYFRAMES,
    share_events: INSERT_EVENTS,
    claims: UPSERT_CLAIMS,
  };

  it('are known for every table but that of the view itself and the one that triggers write', () => {
    expect(Object.keys(STATEMENTS).sort()).toEqual(
      [...loadViewSchema().tables].filter((name) => !['meta', 'market_shares'].includes(name)).sort(),
    );
  });

  it.each(Object.entries(STATEMENTS))('%s are those that its statement writes', (table, { columnNames }) => {
    expect([...columnNames, ...(LATER[table] ?? [])].sort()).toEqual(columnsOf(sql, table).sort());
  });
});

function columnsOf(sql: string, table: string): string[] {
  const [, body = ''] = new RegExp(`create table presage_view\\.${table} \\(\\n([\\s\\S]*?)\\n\\)`).exec(sql) ?? [];
  const names = [...body.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name as string);
  return names.filter((name) => name !== 'primary');
}
