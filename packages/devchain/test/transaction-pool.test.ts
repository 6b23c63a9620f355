// The pool and the reorg plan decide alone what goes into a block: no chain is needed to check them.
import type { Hex } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import type { StoredTransaction } from '../src/chain-record.ts';
import { planReorg } from '../src/reorg-plan.ts';
import { type AccountState, MAX_IN_BLOCK, type PooledTransaction, TransactionPool } from '../src/transaction-pool.ts';

const alice: Hex = '0xa11ce';
const bob: Hex = '0xb0b';

interface TransactionParams {
  readonly from?: Hex;
  readonly nonce: number;
  readonly fee?: bigint;
  readonly tip?: bigint;
  readonly gas?: number;
  readonly cost?: bigint;
}

let counter = 0;

function transaction({
  from = alice,
  nonce,
  fee = 0n,
  tip = fee,
  gas = 21_000,
  cost = 0n,
}: TransactionParams): PooledTransaction {
  counter += 1;
  const hash: Hex = `0x${counter.toString(16)}`;
  const body = { kind: 'signed', raw: '0x' } as const;
  return { hash, from, nonce, body, gas, maxCost: cost, maxFeePerGas: fee, maxPriorityFeePerGas: tip, view: {} };
}

function poolOf(...transactions: PooledTransaction[]): TransactionPool {
  const pool = new TransactionPool();
  for (const one of transactions) pool.add(one);
  return pool;
}

const accounts = (states: Partial<Record<'alice' | 'bob', AccountState>>) =>
  new Map<Hex, AccountState>([
    [alice, states.alice ?? { nonce: 0, balance: 0n }],
    [bob, states.bob ?? { nonce: 0, balance: 0n }],
  ]);

const named = (transactions: readonly StoredTransaction[]) =>
  transactions.map(({ from, nonce }) => `${from === alice ? 'alice' : 'bob'}:${nonce}`);

describe('a pool', () => {
  it('takes a replacement only when both fees rise by a tenth', () => {
    const rows: [bigint, bigint, boolean][] = [
      [100n, 100n, false],
      [109n, 110n, false],
      [110n, 109n, false],
      [110n, 110n, true],
      [500n, 500n, true],
    ];
    for (const [fee, tip, accepted] of rows) {
      const pool = poolOf(transaction({ nonce: 0, fee: 100n }));
      const better = transaction({ nonce: 0, fee, tip });
      if (accepted) pool.add(better);
      else expect(() => pool.add(better)).toThrow('replacement transaction underpriced');
      expect(pool.size).toBe(1);
      expect(pool.get(better.hash) !== undefined).toBe(accepted);
    }
  });

  it('selects by arrival and picks up what arrived before its predecessor', () => {
    const pool = poolOf(
      transaction({ nonce: 2 }),
      transaction({ nonce: 1 }),
      transaction({ from: bob, nonce: 0 }),
      transaction({ nonce: 0 }),
      transaction({ nonce: 4 }),
    );
    const { chosen, unminable } = pool.select(accounts({}), 1_000_000);
    expect(named(chosen)).toEqual(['bob:0', 'alice:0', 'alice:1', 'alice:2']);
    expect(unminable).toEqual([]);
    expect(pool.nextNonce(alice, 0)).toBe(3);
    expect(pool.nextNonce(bob, 0)).toBe(1);
  });

  it('stops at the gas limit without breaking a sender’s order', () => {
    const pool = poolOf(
      transaction({ nonce: 0, gas: 60 }),
      transaction({ nonce: 1, gas: 60 }),
      transaction({ nonce: 2, gas: 10 }),
      transaction({ from: bob, nonce: 0, gas: 40 }),
    );
    expect(named(pool.select(accounts({}), 100).chosen)).toEqual(['alice:0', 'bob:0']);
  });

  it('leaves what is more than a block takes to the next ones, and still gives up on what can never be mined', () => {
    const many = Array.from({ length: MAX_IN_BLOCK + 2 }, (_, nonce) => transaction({ nonce }));
    const pool = poolOf(...many, transaction({ from: bob, nonce: 0 }));
    const spent = { nonce: 1, balance: 0n };
    const { chosen, unminable } = pool.select(accounts({ bob: spent }), 10_000_000);
    expect(chosen).toEqual(many.slice(0, MAX_IN_BLOCK));
    expect(named(unminable)).toEqual(['bob:0']);
    for (const { hash } of chosen) pool.remove(hash);
    const rest = pool.select(accounts({ alice: { nonce: MAX_IN_BLOCK, balance: 0n }, bob: spent }), 10_000_000);
    expect(rest.chosen).toEqual(many.slice(MAX_IN_BLOCK));
  });

  it('gives up on spent nonces and on what cannot be paid, and waits where a payment may still come', () => {
    const pool = poolOf(
      transaction({ nonce: 0 }),
      transaction({ nonce: 1, cost: 6n }),
      transaction({ nonce: 2, cost: 6n }),
      transaction({ from: bob, nonce: 0, cost: 6n }),
    );
    const states = accounts({ alice: { nonce: 1, balance: 10n }, bob: { nonce: 0, balance: 5n } });
    const { chosen, unminable } = pool.select(states, 1_000_000);
    expect(named(chosen)).toEqual(['alice:1']);
    expect(named(unminable)).toEqual(['alice:0', 'bob:0']);
  });
});

describe('a reorg plan', () => {
  const block = (number: number, ...transactions: StoredTransaction[]) => ({
    number,
    time: 100 + number,
    branch: 0,
    hash: '0x' as Hex,
    transactions,
  });
  const removed = [
    block(1, transaction({ nonce: 0 }), transaction({ from: bob, nonce: 0 })),
    block(2, transaction({ nonce: 1 })),
    block(3, transaction({ from: bob, nonce: 1 }), transaction({ nonce: 2 })),
  ];
  const plan = (mode: 'keep' | 'drop' | 'shuffle', branch = 1) => planReorg({ removed, mode, branch, now: 500 });

  it('is one block longer, at the old times and then now', () => {
    for (const mode of ['keep', 'drop', 'shuffle'] as const) {
      expect(plan(mode).map(({ time }) => time)).toEqual([101, 102, 103, 500]);
    }
  });

  it('keeps every transaction in its block, or none at all', () => {
    expect(plan('keep').map(({ transactions }) => named(transactions))).toEqual([
      ['alice:0', 'bob:0'],
      ['alice:1'],
      ['bob:1', 'alice:2'],
      [],
    ]);
    expect(plan('drop').flatMap(({ transactions }) => transactions)).toEqual([]);
  });

  it('shuffles by branch alone and keeps each sender’s order', () => {
    const orders = new Set<string>();
    for (let branch = 0; branch < 20; branch += 1) {
      const order = plan('shuffle', branch).flatMap(({ transactions }) => named(transactions));
      expect(plan('shuffle', branch).flatMap(({ transactions }) => named(transactions))).toEqual(order);
      expect(order.filter((name) => name.startsWith('alice'))).toEqual(['alice:0', 'alice:1', 'alice:2']);
      expect(order.filter((name) => name.startsWith('bob'))).toEqual(['bob:0', 'bob:1']);
      orders.add(order.join());
    }
    expect(orders.size).toBe(2);
  });
});
