// The view's version follows from the code that fills it and from its tables; statements and tables name the same columns.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { CANDLES } from '../../src/projections/candles/candle-model.ts';
import { CLAIMS } from '../../src/projections/claims/claim-model.ts';
import type { Columns } from '../../src/projections/columns.ts';
import { columnNameOf } from '../../src/projections/columns.ts';
import { CHAIN_FIGURES, CHAIN_VOLUMES, MARKET_FIGURES } from '../../src/projections/figures/figures-model.ts';
import { FOLD_HASH } from '../../src/projections/fold-hash.built.ts';
import { hashFold } from '../../src/projections/fold-hash.ts';
import { WALLET_VOLUMES } from '../../src/projections/leaders/wallet-volume-model.ts';
import { MARKETS } from '../../src/projections/markets/market-rows.ts';
import { ORDER_CHANGES, ORDERS } from '../../src/projections/orders/order-rows.ts';
import { KEYFRAMES, POSITIONS } from '../../src/projections/positions/position-rows.ts';
import { SHARE_EVENTS } from '../../src/projections/positions/share-event-rows.ts';
import { PENDING_TRADES, TRADE_MOVES, TRADE_TRANSACTIONS, TRADES } from '../../src/projections/trades/trade-rows.ts';
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
    expect(await hashFold([replacing(path, text.replace(from, to))])).not.toBe(FOLD_HASH);
  });

  it.each([
    ['a comment', 'orders/order-model.ts', '// Read model of orders', '// The read model of orders'],
    ['a query', 'orders/order-queries.ts', 'where o.hash', 'where  o.hash'],
  ])('is the same when %s is changed', async (_what, file, from, to) => {
    const path = projections(file);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(from);
    expect(await hashFold([replacing(path, text.replace(from, to))])).toBe(FOLD_HASH);
  });
});

describe('the description of a table', () => {
  const { sql, tables } = loadViewSchema();
  const DESCRIBED: readonly { readonly name: string; readonly columns: Columns }[] = [
    ...[MARKETS, MARKET_FIGURES, CANDLES, CHAIN_FIGURES, CHAIN_VOLUMES, WALLET_VOLUMES, ORDERS, ORDER_CHANGES],
    ...[TRADES, PENDING_TRADES, TRADE_MOVES, TRADE_TRANSACTIONS, POSITIONS, KEYFRAMES, SHARE_EVENTS, CLAIMS],
  ];

  it('exists for every table but that of the view itself and the one that triggers write', () => {
    expect(DESCRIBED.map(({ name }) => name).sort()).toEqual(
      tables.filter((name) => !['meta', 'market_shares'].includes(name)).sort(),
    );
  });

  it.each(DESCRIBED.map((table) => [table.name, table] as const))('has the columns of %s', (name, { columns }) => {
    const described = Object.entries(columns).map(([property, { name: given, type, isNullable }]) => [
      columnNameOf(property, given === undefined ? {} : { name: given }),
      `${type}${isNullable ? '' : ' not null'}`,
    ]);
    expect(Object.fromEntries(described)).toEqual(columnsOf(sql, name));
  });
});

/** Columns that statements write, each with its type. */
function columnsOf(sql: string, table: string): Record<string, string> {
  const [, body = ''] = new RegExp(`create table presage_view\\.${table} \\(\\n([\\s\\S]*?)\\n\\)`).exec(sql) ?? [];
  const columns = [...body.matchAll(/^ {2}(\w+) ([a-z]+)(?:\(\d+\))?( not null| primary key)?(.*)$/gm)];
  const written = columns.filter(([line, name]) => name !== 'primary' && !line.includes(' generated always as '));
  return Object.fromEntries(written.map(([, name, type = '', isSet]) => [name, `${type}${isSet ? ' not null' : ''}`]));
}

function replacing(path: string, contents: string): Plugin {
  return {
    name: 'a changed source',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, (found) => (found.path === resolve(path) ? { contents, loader: 'ts' } : undefined)),
  };
}
