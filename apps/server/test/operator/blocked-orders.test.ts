// Orders of blocked wallets leave the book, whichever way they came past the block.
import type { OrderView } from '@presage/engine';
import type { Address, JournalRecord } from '@presage/protocol';
import { expect, it } from 'vitest';
import { BlockedOrders } from '../../src/operator/blocked-orders.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { acted } from './acted.ts';

const [alice, bob, carol] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}` as Address) as [
  Address,
  Address,
  Address,
];
const accepted = (trader: Address) => ({ type: 'order-accepted', order: { trader } }) as JournalRecord;

function open({ isActing = true, withOrders = [] as Address[] } = {}) {
  const state = new OperatorState();
  for (const wallet of [alice, bob]) {
    state.follow(acted({ kind: 'block-wallet', wallet, isBlocked: true }));
  }
  const cancelled: Address[] = [];
  const orders = new BlockedOrders({
    state,
    reads: { openOrders: ({ trader } = {}) => (withOrders.includes(trader!) ? [{} as OrderView] : []) },
    commands: {
      cancelOrders: async (wallet, reason) => {
        expect(reason).toBe('wallet_blocked');
        cancelled.push(wallet);
        return { cancelled: [] };
      },
    },
    isActing: () => isActing,
    log: { warn: () => expect.unreachable() },
  });
  return { orders, cancelled };
}

it('are cancelled at a start where a kill came between the block and its cancels', () => {
  const { orders, cancelled } = open({ withOrders: [bob, carol] });
  orders.start();
  expect(cancelled).toEqual([bob]);
});

it('are cancelled where another node passed them on before it learned of the block', () => {
  const { orders, cancelled } = open();
  orders.follow(accepted(carol));
  orders.follow(accepted(alice));
  expect(cancelled).toEqual([alice]);
});

it('are left to the node at which operators act', () => {
  const { orders, cancelled } = open({ isActing: false, withOrders: [bob] });
  orders.start();
  orders.follow(accepted(alice));
  expect(cancelled).toEqual([]);
});
