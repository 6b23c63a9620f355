// Orders of blocked wallets leave the book, whichever way they came past the block.
import type { OrderView } from '@presage/engine';
import type { Address, JournalRecord } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { expect, it } from 'vitest';
import { BlockedOrders } from '../../src/operator/blocked-orders.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';
import { acted, finisherOf } from './acted.ts';

const [alice, bob, carol] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}` as Address) as [
  Address,
  Address,
  Address,
];
const accepted = (trader: Address) => ({ type: 'order-accepted', order: { trader } }) as JournalRecord;
/** The order's hash names its trader. */
const restored = (trader: Address) => ({ type: 'order-restored', orderHash: trader as string }) as JournalRecord;

function open({ isActing = true, withOrders = [] as Address[], isAvailable = true } = {}) {
  const world = { isAvailable };
  const state = new OperatorState();
  for (const wallet of [alice, bob]) {
    state.follow(acted({ kind: 'block-wallet', wallet, isBlocked: true }));
  }
  const cancelled: Address[] = [];
  const orders = new BlockedOrders({
    state,
    reads: {
      openOrders: ({ trader } = {}) => (withOrders.includes(trader!) ? [{} as OrderView] : []),
      order: (orderHash) => ({ signed: { order: { trader: orderHash } } }) as unknown as OrderView,
    },
    commands: {
      cancelOrders: async (wallet, reason) => {
        expect(reason).toBe('wallet_blocked');
        if (!world.isAvailable) throw new Error('no owner');
        cancelled.push(wallet);
        return { cancelled: [] };
      },
    },
    isActing: () => isActing,
    log: SILENT_LOG,
  });
  const look = finisherOf(orders, () => isActing);
  return { orders, cancelled, world, look };
}

it('are cancelled at a start where a kill came between the block and its cancels', async () => {
  const { cancelled, look } = open({ withOrders: [bob, carol] });
  await look();
  expect(cancelled).toEqual([bob]);
});

it('are cancelled when their partition is available again', async () => {
  const withOrders: Address[] = [];
  const { orders, cancelled, world, look } = open({ withOrders, isAvailable: false });
  await look();
  withOrders.push(alice);
  orders.follow(accepted(alice));
  await look();
  world.isAvailable = true;
  await look();
  expect(cancelled).toEqual([alice]);
});

it('are cancelled where another node passed them on before it learned of the block', () => {
  const { orders, cancelled } = open();
  orders.follow(accepted(carol));
  orders.follow(accepted(alice));
  expect(cancelled).toEqual([alice]);
});

it('are cancelled where a failed fill brought them back', async () => {
  const { orders, cancelled, look } = open();
  await look();
  orders.follow(restored(carol));
  orders.follow(restored(alice));
  expect(cancelled).toEqual([alice]);
});

it('are cancelled later where a failed fill brought them back while their partition was unavailable', async () => {
  const withOrders: Address[] = [];
  const { orders, cancelled, world, look } = open({ withOrders });
  await look();
  world.isAvailable = false;
  withOrders.push(bob);
  orders.follow(restored(bob));
  world.isAvailable = true;
  await look();
  expect(cancelled).toEqual([bob]);
});

it('are left to the node at which operators act', async () => {
  const { orders, cancelled, look } = open({ isActing: false, withOrders: [bob] });
  await look();
  orders.follow(accepted(alice));
  expect(cancelled).toEqual([]);
});
